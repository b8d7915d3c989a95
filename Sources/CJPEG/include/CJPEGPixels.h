#ifndef TOTE_CJPEG_PIXELS_H
#define TOTE_CJPEG_PIXELS_H

#include <stddef.h>
#include <stdint.h>

// Loops over pixels. They are in C because they run for each sample of a photo: so a debug build,
// which the tests use, is not slower by a factor of ten, and the compiler's vectors are at hand.
//
// Linear light is kept as 0 (black) to `TOTE_LINEAR_WHITE`, in 16-bit integers. Weights of rows and
// columns are integers too: those of one output sum to `TOTE_WEIGHT_ONE`.

#define TOTE_LINEAR_WHITE 16315
#define TOTE_WEIGHT_ONE 16384

// YCbCr, with a chroma sample for each two columns, to linear light. Reads and writes whole
// groups of 16 columns: round the length of each buffer up.
void tote_linear_from_ycc(
    const uint8_t *y, const uint8_t *cb, const uint8_t *cr, int16_t *red, int16_t *green,
    int16_t *blue, size_t width);
// Grey to linear light, in groups of 16.
void tote_linear_from_grey(const uint8_t *grey, int16_t *linear, size_t width);

// Adds `count` weighted rows to the sums. Reads and writes whole groups of 8.
void tote_add_rows(
    const int16_t *const *rows, const int16_t *weights, int count, int32_t *sums, size_t width);
// Sums to samples, in groups of 8; the sums become 0.
void tote_take_sums(int32_t *sums, int16_t *samples, size_t width);

// How the columns of a row are averaged into fewer.
typedef struct {
  // Of each output column: its first source column and, in pairs, how many.
  const int32_t *first;
  const int32_t *pairs;
  // Two for each pair, all outputs one after the other.
  const int16_t *weights;
} tote_columns;

// Averages 8 rows of `width` columns into rows of `out_width` columns. `scratch` holds
// 8 * (width + 8) samples; outputs hold whole groups of 8.
void tote_average_columns(
    const int16_t *const *rows, size_t width, const tote_columns *columns, int16_t *const *out,
    size_t out_width, int16_t *scratch);

// Linear light to sRGB; the second writes red, green and blue side by side.
void tote_grey_from_linear(const int16_t *linear, uint8_t *grey, size_t width);
void tote_rgb_from_linear(
    const int16_t *red, const int16_t *green, const int16_t *blue, uint8_t *rgb, size_t width);

// Means of two rows or of two neighbouring columns, rounded to the nearest, up and down by turns.
void tote_average_two_rows(const uint8_t *a, const uint8_t *b, uint8_t *out, size_t width);
void tote_average_two_columns(const uint8_t *row, uint8_t *out, size_t out_width);
// Means of squares of two by two.
void tote_average_squares(const uint8_t *a, const uint8_t *b, uint8_t *out, size_t out_width);

// Two rows, side by side in `stride`, to two rows of Y and one each of Cb and Cr. `width` is even.
void tote_ycc_from_rgb(
    const uint8_t *rgb, size_t stride, uint8_t *y, size_t y_stride, uint8_t *cb, uint8_t *cr,
    size_t width);
// The same from rows that are YCbCr already.
void tote_ycc_from_ycc(
    const uint8_t *ycc, size_t stride, uint8_t *y, size_t y_stride, uint8_t *cb, uint8_t *cr,
    size_t width);
// CMYK to RGB without a profile. `inverted`: 255 is no ink, as Adobe writes it.
void tote_rgb_from_cmyk(const uint8_t *cmyk, uint8_t *rgb, size_t width, int inverted);
void tote_map_bytes(uint8_t *bytes, const uint8_t table[256], size_t count);

// Copies a rectangle turned: out[row][column] = in[column * column_step + row * row_step], counted
// from `origin`. One of the steps is 1 or -1.
void tote_turn(
    const uint8_t *origin, ptrdiff_t row_step, ptrdiff_t column_step, uint8_t *out,
    size_t out_stride, size_t width, size_t height);

#endif
