#include "CJPEGPixels.h"

#include <pthread.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define BYTES 16
#define NAME(x) x##16
#include "Vectors.h"

#if defined(__x86_64__) && !defined(TOTE_NO_AVX2)
#define TOTE_AVX2 1
// Twice as wide where the processor can: asked at run time, since one binary serves all.
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#define BYTES 32
#define NAME(x) x##32
#include "Vectors.h"
#pragma clang attribute pop
#endif

static int is_wide(void) {
#if TOTE_AVX2
  return __builtin_cpu_supports("avx2");
#else
  return 0;
#endif
}

// Calls a loop in the widest vectors, and in narrow ones for the rest.
#if TOTE_AVX2
#define WIDEST(name, ...) (is_wide() ? name##32(__VA_ARGS__) : 0)
#else
#define WIDEST(name, ...) ((void)is_wide, 0)
#endif

// Widths of rows in whole groups of 8.
static inline size_t whole(size_t width) { return (width + 7) & ~(size_t)7; }

void tote_linear_from_ycc(
    const uint8_t *y, const uint8_t *cb, const uint8_t *cr, int16_t *red, int16_t *green,
    int16_t *blue, size_t width) {
  width = (width + 15) & ~(size_t)15;
  size_t x = WIDEST(linear_from_ycc, y, cb, cr, red, green, blue, 0, width);
  linear_from_ycc16(y, cb, cr, red, green, blue, x, width);
}

void tote_linear_from_grey(const uint8_t *grey, int16_t *out, size_t width) {
  for (size_t x = 0; x < width; x += 8) store_words16(out + x, linear16(load_bytes16(grey + x)));
}

void tote_add_rows(
    const int16_t *const *rows, const int16_t *weights, int count, int32_t *sums, size_t width) {
  size_t x = WIDEST(add_rows, rows, weights, count, sums, 0, whole(width));
  add_rows16(rows, weights, count, sums, x, whole(width));
}

void tote_take_sums(int32_t *sums, int16_t *samples, size_t width) {
  size_t x = WIDEST(take_sums, sums, samples, 0, whole(width));
  take_sums16(sums, samples, x, whole(width));
}

static uint8_t levels[TOTE_WEIGHT_ONE + 1];
static pthread_once_t levels_once = PTHREAD_ONCE_INIT;

static void make_levels(void) {
  int16_t of[256];
  for (int i = 0; i < 256; i += 8) {
    words16 first = {0, 1, 2, 3, 4, 5, 6, 7};
    store_words16(of + i, linear16(first + splat16(i)));
  }
  int level = 0;
  for (int value = 0; value <= TOTE_WEIGHT_ONE; value++) {
    while (level < 255 && 2 * value > of[level] + of[level + 1]) level++;
    levels[value] = (uint8_t)level;
  }
}

void tote_grey_from_linear(const int16_t *linear, uint8_t *grey, size_t width) {
  pthread_once(&levels_once, make_levels);
  for (size_t x = 0; x < width; x++) grey[x] = levels[linear[x] & (TOTE_WEIGHT_ONE - 1)];
}

void tote_rgb_from_linear(
    const int16_t *red, const int16_t *green, const int16_t *blue, uint8_t *rgb, size_t width) {
  pthread_once(&levels_once, make_levels);
  for (size_t x = 0; x < width; x++) {
    rgb[3 * x] = levels[red[x] & (TOTE_WEIGHT_ONE - 1)];
    rgb[3 * x + 1] = levels[green[x] & (TOTE_WEIGHT_ONE - 1)];
    rgb[3 * x + 2] = levels[blue[x] & (TOTE_WEIGHT_ONE - 1)];
  }
}

// MARK: - Columns

// Eight vectors become their columns.
static inline void transpose(words16 v[8]) {
  words16 a[8], b[8];
  for (int i = 0; i < 4; i++) {
    a[2 * i] = __builtin_shufflevector(v[i], v[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
    a[2 * i + 1] = __builtin_shufflevector(v[i], v[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
  }
  for (int i = 0; i < 4; i++) {
    b[2 * i] = __builtin_shufflevector(a[i], a[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
    b[2 * i + 1] = __builtin_shufflevector(a[i], a[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
  }
  for (int i = 0; i < 4; i++) {
    v[2 * i] = __builtin_shufflevector(b[i], b[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
    v[2 * i + 1] = __builtin_shufflevector(b[i], b[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
  }
}

void tote_average_columns(
    const int16_t *const *rows, size_t width, const tote_columns *columns, int16_t *const *out,
    size_t out_width, int16_t *scratch) {
  // Turned, a column of eight rows is one vector, and columns are averaged as rows are.
  for (size_t x = 0; x < width; x += 8) {
    words16 block[8];
    for (int i = 0; i < 8; i++) block[i] = load_words16(rows[i] + x);
    transpose(block);
    for (int i = 0; i < 8; i++) store_words16(scratch + (x + (size_t)i) * 8, block[i]);
  }
  const int16_t *weights = columns->weights;
  for (size_t x = 0; x < out_width; x += 8) {
    words16 block[8];
    for (size_t i = 0; i < 8; i++) {
      quads16 low = {0, 0, 0, 0}, high = {0, 0, 0, 0};
      if (x + i < out_width) {
        const int16_t *from = scratch + (size_t)columns->first[x + i] * 8;
        for (int32_t pair = 0; pair < columns->pairs[x + i]; pair++) {
          int32_t both;
          memcpy(&both, weights, sizeof both);
          add_products16(
              load_words16(from), load_words16(from + 8), (quads16){both, both, both, both}, &low, &high);
          from += 16;
          weights += 2;
        }
      }
      block[i] = samples16(low, high);
    }
    transpose(block);
    for (int i = 0; i < 8; i++) store_words16(out[i] + x, block[i]);
  }
}

// MARK: - Chroma

typedef uint8_t bytes16 __attribute__((vector_size(16)));

void tote_average_two_rows(const uint8_t *a, const uint8_t *b, uint8_t *out, size_t width) {
  typedef uint16_t sums16 __attribute__((vector_size(32)));
  bytes16 down = {1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0};
  size_t x = 0;
  for (; x + 16 <= width; x += 16) {
    bytes16 first, second;
    memcpy(&first, a + x, sizeof first);
    memcpy(&second, b + x, sizeof second);
    // One instruction rounds up; in even columns an odd sum then goes down.
    sums16 sums = __builtin_convertvector(first, sums16) + __builtin_convertvector(second, sums16);
    bytes16 means = __builtin_convertvector((sums + 1) >> 1, bytes16);
    means -= (first ^ second) & down;
    memcpy(out + x, &means, sizeof means);
  }
  for (; x < width; x++) out[x] = (uint8_t)((a[x] + b[x] + (x & 1)) >> 1);
}

void tote_average_two_columns(const uint8_t *row, uint8_t *out, size_t out_width) {
  for (size_t x = 0; x < out_width; x++)
    out[x] = (uint8_t)((row[2 * x] + row[2 * x + 1] + (x & 1)) >> 1);
}

void tote_average_squares(const uint8_t *a, const uint8_t *b, uint8_t *out, size_t out_width) {
  for (size_t x = 0; x < out_width; x++)
    out[x] = (uint8_t)((a[2 * x] + a[2 * x + 1] + b[2 * x] + b[2 * x + 1] + 1 + (x & 1)) >> 2);
}

static inline int luma(const uint8_t *p) {
  return (19595 * p[0] + 38470 * p[1] + 7471 * p[2] + 32768) >> 16;
}

static inline uint8_t byte(int value) {
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

void tote_ycc_from_rgb(
    const uint8_t *rgb, size_t stride, uint8_t *y, size_t y_stride, uint8_t *cb, uint8_t *cr,
    size_t width) {
  for (size_t x = 0; x < width; x += 2) {
    const uint8_t *a = rgb + 3 * x, *b = a + stride;
    y[x] = (uint8_t)luma(a);
    y[x + 1] = (uint8_t)luma(a + 3);
    y[y_stride + x] = (uint8_t)luma(b);
    y[y_stride + x + 1] = (uint8_t)luma(b + 3);
    // Sums of four, so two more binary places.
    int red = a[0] + a[3] + b[0] + b[3];
    int green = a[1] + a[4] + b[1] + b[4];
    int blue = a[2] + a[5] + b[2] + b[5];
    int half = 1 << 17;
    cb[x / 2] = byte(128 + ((-11058 * red - 21710 * green + 32768 * blue + half) >> 18));
    cr[x / 2] = byte(128 + ((32768 * red - 27439 * green - 5329 * blue + half) >> 18));
  }
}

void tote_ycc_from_ycc(
    const uint8_t *ycc, size_t stride, uint8_t *y, size_t y_stride, uint8_t *cb, uint8_t *cr,
    size_t width) {
  for (size_t x = 0; x < width; x += 2) {
    const uint8_t *a = ycc + 3 * x, *b = a + stride;
    y[x] = a[0];
    y[x + 1] = a[3];
    y[y_stride + x] = b[0];
    y[y_stride + x + 1] = b[3];
    cb[x / 2] = (uint8_t)((a[1] + a[4] + b[1] + b[4] + 2) >> 2);
    cr[x / 2] = (uint8_t)((a[2] + a[5] + b[2] + b[5] + 2) >> 2);
  }
}

void tote_rgb_from_cmyk(const uint8_t *cmyk, uint8_t *rgb, size_t width, int inverted) {
  uint8_t flip = inverted ? 0 : 255;
  for (size_t x = 0; x < width; x++) {
    int light = cmyk[4 * x + 3] ^ flip;
    for (int i = 0; i < 3; i++)
      rgb[3 * x + (size_t)i] = (uint8_t)(((cmyk[4 * x + (size_t)i] ^ flip) * light + 127) / 255);
  }
}

void tote_map_bytes(uint8_t *bytes, const uint8_t table[256], size_t count) {
  for (size_t i = 0; i < count; i++) bytes[i] = table[bytes[i]];
}

// MARK: - Turning

#define MERGE_LOW(a, b)                                                                            \
  __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define MERGE_HIGH(a, b)                                                                           \
  __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)

// 16 columns of 8 bytes, `step` apart, become 8 rows of 16 bytes.
static inline void turn_tile(const uint8_t *from, ptrdiff_t step, bytes16 rows[8]) {
  bytes16 a[8], b[8];
  for (int i = 0; i < 8; i++) {
    bytes16 left = {0}, right = {0};
    memcpy(&left, from + i * step, 8);
    memcpy(&right, from + (i + 8) * step, 8);
    a[i] = MERGE_LOW(left, right);
  }
  for (int i = 0; i < 4; i++) {
    b[i] = MERGE_LOW(a[i], a[i + 4]);
    b[i + 4] = MERGE_HIGH(a[i], a[i + 4]);
  }
  // b[0...3] hold rows 0 to 3 of columns i, i + 4, i + 8 and i + 12.
  for (int half = 0; half < 2; half++) {
    const bytes16 *q = b + 4 * half;
    bytes16 even[2] = {MERGE_LOW(q[0], q[2]), MERGE_HIGH(q[0], q[2])};
    bytes16 odd[2] = {MERGE_LOW(q[1], q[3]), MERGE_HIGH(q[1], q[3])};
    for (int i = 0; i < 2; i++) {
      rows[4 * half + 2 * i] = MERGE_LOW(even[i], odd[i]);
      rows[4 * half + 2 * i + 1] = MERGE_HIGH(even[i], odd[i]);
    }
  }
}

static void turn_slowly(
    const uint8_t *origin, ptrdiff_t row_step, ptrdiff_t column_step, uint8_t *out,
    size_t out_stride, size_t first_column, size_t width, size_t height) {
  for (size_t row = 0; row < height; row++) {
    const uint8_t *from = origin + (ptrdiff_t)row * row_step;
    for (size_t column = first_column; column < width; column++)
      out[row * out_stride + column] = from[(ptrdiff_t)column * column_step];
  }
}

void tote_turn(
    const uint8_t *origin, ptrdiff_t row_step, ptrdiff_t column_step, uint8_t *out,
    size_t out_stride, size_t width, size_t height) {
  // Along the source's rows there is nothing to gain by tiles.
  if (row_step != 1 && row_step != -1) {
    turn_slowly(origin, row_step, column_step, out, out_stride, 0, width, height);
    return;
  }
  size_t row = 0;
  for (; row + 8 <= height; row += 8) {
    // The row whose bytes come first in memory.
    const uint8_t *from = origin + (ptrdiff_t)(row_step > 0 ? row : row + 7) * row_step;
    size_t column = 0;
    for (; column + 16 <= width; column += 16) {
      bytes16 rows[8];
      turn_tile(from + (ptrdiff_t)column * column_step, column_step, rows);
      for (size_t i = 0; i < 8; i++) {
        size_t to = row_step > 0 ? row + i : row + 7 - i;
        memcpy(out + to * out_stride + column, &rows[i], sizeof rows[i]);
      }
    }
    turn_slowly(
        origin + (ptrdiff_t)row * row_step, row_step, column_step, out + row * out_stride,
        out_stride, column, width, 8);
  }
  turn_slowly(
      origin + (ptrdiff_t)row * row_step, row_step, column_step, out + row * out_stride, out_stride,
      0, width, height - row);
}
