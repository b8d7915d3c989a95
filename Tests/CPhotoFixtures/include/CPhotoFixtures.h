#ifndef TOTE_CPHOTOFIXTURES_H
#define TOTE_CPHOTOFIXTURES_H

#include <stddef.h>
#include <stdint.h>

// JPEG files of every kind that libjpeg can write, for tests of the reader. Linked, not loaded.
typedef struct {
  int width, height;
  // libjpeg's J_COLOR_SPACE of the pixels given, and of the file.
  int given, stored;
  // Of the first component; the others have 1 and 1 unless `chroma` says otherwise.
  int horizontal, vertical;
  int chroma_horizontal, chroma_vertical;
  int quality, restart_interval;
  int is_progressive, is_arithmetic;
  // One scan for each component instead of one for all.
  int is_separate;
  // Without JFIF's and Adobe's markers.
  int is_bare;
} tote_fixture;

// Encodes interleaved pixels; the caller frees the result. NULL when libjpeg refuses.
uint8_t *tote_fixture_encode(const tote_fixture *fixture, const uint8_t *pixels, size_t *size);

#endif
