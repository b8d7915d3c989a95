#include "CJPEGPixels.h"

#include <pthread.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// The compiler's own vectors: SSE2 and NEON from one text, without a choice at run time.
typedef int16_t words __attribute__((vector_size(16)));
typedef uint8_t half_bytes __attribute__((vector_size(8)));
typedef int32_t longs __attribute__((vector_size(32)));
typedef int32_t quads __attribute__((vector_size(16)));

static inline words load_bytes(const uint8_t *from) {
  half_bytes bytes;
  memcpy(&bytes, from, sizeof bytes);
  return __builtin_convertvector(bytes, words);
}

static inline words load_words(const int16_t *from) {
  words value;
  memcpy(&value, from, sizeof value);
  return value;
}

static inline void store_words(int16_t *to, words value) { memcpy(to, &value, sizeof value); }

static inline words splat(int value) {
  int16_t word = (int16_t)value;
  return (words){word, word, word, word, word, word, word, word};
}

// The upper half of the 32-bit product.
static inline words high_product(words a, words b) {
#if defined(__SSE2__)
  return (words)_mm_mulhi_epi16((__m128i)a, (__m128i)b);
#else
  longs product = __builtin_convertvector(a, longs) * __builtin_convertvector(b, longs);
  return __builtin_convertvector(product >> 16, words);
#endif
}

static inline words clamp(words value, int low, int high) {
#if defined(__SSE2__)
  return (words)_mm_min_epi16(
      _mm_max_epi16((__m128i)value, (__m128i)splat(low)), (__m128i)splat(high));
#else
  words lows = splat(low), highs = splat(high);
  value = (value < lows) ? lows : value;
  return (value > highs) ? highs : value;
#endif
}

// MARK: - Light

// sRGB's curve as a polynomial of degree four, fitted to it in integers: averages taken through it
// differ from those through the exact curve by less than one of 255 levels. A table would be exact
// but is two times slower. It rises at each level, so its inverse gives each level back.
static inline words linear(words level) {
  words x = (level << 7) + (level >> 1);
  words sum = high_product(x, splat(-8022)) + splat(12408);
  sum = high_product(x, sum + sum) + splat(7060);
  sum = high_product(x, sum + sum) + splat(861);
  return high_product(x, sum + sum);
}

static inline words twice_low(words v) {
  return __builtin_shufflevector(v, v, 0, 0, 1, 1, 2, 2, 3, 3);
}

static inline words twice_high(words v) {
  return __builtin_shufflevector(v, v, 4, 4, 5, 5, 6, 6, 7, 7);
}

// `luma` has four binary places and half a unit added.
static inline words level(words luma, words offset) { return clamp((luma + offset) >> 4, 0, 255); }

void tote_linear_from_ycc(
    const uint8_t *y, const uint8_t *cb, const uint8_t *cr, int16_t *red, int16_t *green,
    int16_t *blue, size_t width) {
  for (size_t x = 0; x < width; x += 16) {
    // JFIF's constants, with four binary places in the products.
    words b = (load_bytes(cb + x / 2) - splat(128)) << 8;
    words r = (load_bytes(cr + x / 2) - splat(128)) << 8;
    words to_red = high_product(r, splat(5743));
    words to_green = high_product(b, splat(-1410)) + high_product(r, splat(-2925));
    words to_blue = high_product(b, splat(7258));
    words low = (load_bytes(y + x) << 4) + splat(8);
    words high = (load_bytes(y + x + 8) << 4) + splat(8);
    store_words(red + x, linear(level(low, twice_low(to_red))));
    store_words(red + x + 8, linear(level(high, twice_high(to_red))));
    store_words(green + x, linear(level(low, twice_low(to_green))));
    store_words(green + x + 8, linear(level(high, twice_high(to_green))));
    store_words(blue + x, linear(level(low, twice_low(to_blue))));
    store_words(blue + x + 8, linear(level(high, twice_high(to_blue))));
  }
}

void tote_linear_from_grey(const uint8_t *grey, int16_t *out, size_t width) {
  for (size_t x = 0; x < width; x += 8) store_words(out + x, linear(load_bytes(grey + x)));
}

static uint8_t levels[TOTE_WEIGHT_ONE + 1];
static pthread_once_t levels_once = PTHREAD_ONCE_INIT;

static void make_levels(void) {
  int16_t of[256];
  for (int i = 0; i < 256; i += 8) {
    words first = {0, 1, 2, 3, 4, 5, 6, 7};
    store_words(of + i, linear(first + splat(i)));
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

// MARK: - Averages

// Adds a[i] * even + b[i] * odd to eight sums.
static inline void add_products(words a, words b, quads weights, quads *low, quads *high) {
#if defined(__SSE2__)
  *low += (quads)_mm_madd_epi16(_mm_unpacklo_epi16((__m128i)a, (__m128i)b), (__m128i)weights);
  *high += (quads)_mm_madd_epi16(_mm_unpackhi_epi16((__m128i)a, (__m128i)b), (__m128i)weights);
#else
  words pair = (words)weights;
  longs sums = __builtin_convertvector(a, longs) * pair[0] + __builtin_convertvector(b, longs) * pair[1];
  *low += __builtin_shufflevector(sums, sums, 0, 1, 2, 3);
  *high += __builtin_shufflevector(sums, sums, 4, 5, 6, 7);
#endif
}

static inline quads weight_pair(int even, int odd) {
  int16_t a = (int16_t)even, b = (int16_t)odd;
  return (quads)(words){a, b, a, b, a, b, a, b};
}

static inline words samples(quads low, quads high) {
  quads half = {TOTE_WEIGHT_ONE / 2, TOTE_WEIGHT_ONE / 2, TOTE_WEIGHT_ONE / 2, TOTE_WEIGHT_ONE / 2};
  low = (low + half) >> 14;
  high = (high + half) >> 14;
#if defined(__SSE2__)
  return (words)_mm_packs_epi32((__m128i)low, (__m128i)high);
#else
  longs both = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
  return __builtin_convertvector(both, words);
#endif
}

void tote_add_rows(
    const int16_t *const *rows, const int16_t *weights, int count, int32_t *sums, size_t width) {
  for (size_t x = 0; x < width; x += 8) {
    quads low, high;
    memcpy(&low, sums + x, sizeof low);
    memcpy(&high, sums + x + 4, sizeof high);
    int row = 0;
    for (; row + 1 < count; row += 2)
      add_products(
          load_words(rows[row] + x), load_words(rows[row + 1] + x),
          weight_pair(weights[row], weights[row + 1]), &low, &high);
    if (row < count)
      add_products(
          load_words(rows[row] + x), splat(0), weight_pair(weights[row], 0), &low, &high);
    memcpy(sums + x, &low, sizeof low);
    memcpy(sums + x + 4, &high, sizeof high);
  }
}

void tote_take_sums(int32_t *sums, int16_t *out, size_t width) {
  quads zero = {0, 0, 0, 0};
  for (size_t x = 0; x < width; x += 8) {
    quads low, high;
    memcpy(&low, sums + x, sizeof low);
    memcpy(&high, sums + x + 4, sizeof high);
    store_words(out + x, samples(low, high));
    memcpy(sums + x, &zero, sizeof zero);
    memcpy(sums + x + 4, &zero, sizeof zero);
  }
}

// Eight vectors become their columns.
static inline void transpose(words v[8]) {
  words a[8], b[8];
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
    words block[8];
    for (int i = 0; i < 8; i++) block[i] = load_words(rows[i] + x);
    transpose(block);
    for (int i = 0; i < 8; i++) store_words(scratch + (x + (size_t)i) * 8, block[i]);
  }
  const int16_t *weights = columns->weights;
  for (size_t x = 0; x < out_width; x += 8) {
    words block[8];
    for (size_t i = 0; i < 8; i++) {
      quads low = {0, 0, 0, 0}, high = {0, 0, 0, 0};
      if (x + i < out_width) {
        const int16_t *from = scratch + (size_t)columns->first[x + i] * 8;
        for (int32_t pair = 0; pair < columns->pairs[x + i]; pair++) {
          int32_t both;
          memcpy(&both, weights, sizeof both);
          add_products(
              load_words(from), load_words(from + 8), (quads){both, both, both, both}, &low, &high);
          from += 16;
          weights += 2;
        }
      }
      block[i] = samples(low, high);
    }
    transpose(block);
    for (int i = 0; i < 8; i++) store_words(out[i] + x, block[i]);
  }
}

// MARK: - Chroma

void tote_average_two_rows(const uint8_t *a, const uint8_t *b, uint8_t *out, size_t width) {
  for (size_t x = 0; x < width; x++) out[x] = (uint8_t)((a[x] + b[x] + (x & 1)) >> 1);
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

#define TILE 16

void tote_turn(
    const uint8_t *origin, ptrdiff_t row_step, ptrdiff_t column_step, uint8_t *out,
    size_t out_stride, size_t width, size_t height) {
  for (size_t left = 0; left < width; left += TILE) {
    size_t right = left + TILE < width ? left + TILE : width;
    for (size_t top = 0; top < height; top += TILE) {
      size_t bottom = top + TILE < height ? top + TILE : height;
      for (size_t row = top; row < bottom; row++) {
        const uint8_t *from = origin + (ptrdiff_t)row * row_step;
        for (size_t column = left; column < right; column++)
          out[row * out_stride + column] = from[(ptrdiff_t)column * column_step];
      }
    }
  }
}
