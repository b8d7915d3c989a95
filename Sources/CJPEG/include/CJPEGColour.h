#ifndef TOTE_CJPEG_COLOUR_H
#define TOTE_CJPEG_COLOUR_H

#include <stddef.h>
#include <stdint.h>

// Loads Little CMS once; 0 when it is there, -1 when it is not installed.
int tote_colour_load(void);

// What a transform reads.
typedef enum tote_colour_input : int32_t {
  TOTE_COLOUR_GREY,
  TOTE_COLOUR_RGB,
  TOTE_COLOUR_CMYK,
  // 255 is no ink.
  TOTE_COLOUR_CMYK_INVERTED,
} tote_colour_input;

typedef struct tote_colour_transform tote_colour_transform;

// From an ICC profile to RGB in sRGB, 8 bits each. NULL when the profile is not usable: damaged, of
// another kind than `input` says, or not one for pictures.
tote_colour_transform *tote_colour_transform_new(
    const uint8_t *profile, size_t size, tote_colour_input input);
void tote_colour_transform_free(tote_colour_transform *transform);
void tote_colour_convert(
    const tote_colour_transform *transform, const uint8_t *in, uint8_t *rgb, size_t width);

#endif
