// Loops over vectors of `BYTES` bytes, included once for each size. `NAME(x)` is the name of `x`
// in that size. The compiler's own vectors: SSE2, AVX2 and NEON from one text.

typedef int16_t NAME(words) __attribute__((vector_size(BYTES)));
typedef uint8_t NAME(half_bytes) __attribute__((vector_size(BYTES / 2)));
typedef int32_t NAME(quads) __attribute__((vector_size(BYTES)));
#define words NAME(words)
#define half_bytes NAME(half_bytes)
#define quads NAME(quads)
// Words in a vector.
#define WORDS (BYTES / 2)

static inline words NAME(load_bytes)(const uint8_t *from) {
  half_bytes bytes;
  memcpy(&bytes, from, sizeof bytes);
  return __builtin_convertvector(bytes, words);
}

static inline words NAME(load_words)(const int16_t *from) {
  words value;
  memcpy(&value, from, sizeof value);
  return value;
}

static inline void NAME(store_words)(int16_t *to, words value) {
  memcpy(to, &value, sizeof value);
}

static inline words NAME(splat)(int value) { return (words){0} + (int16_t)value; }

// The upper half of the 32-bit product.
static inline words NAME(high_product)(words a, words b) {
#if defined(__SSE2__) && BYTES == 16
  return (words)_mm_mulhi_epi16((__m128i)a, (__m128i)b);
#elif defined(__SSE2__)
  return (words)_mm256_mulhi_epi16((__m256i)a, (__m256i)b);
#else
  typedef int32_t longs __attribute__((vector_size(2 * BYTES)));
  longs product = __builtin_convertvector(a, longs) * __builtin_convertvector(b, longs);
  return __builtin_convertvector(product >> 16, words);
#endif
}

// MARK: - Light

// sRGB's curve as a polynomial of degree four, fitted to it in integers: averages taken through it
// differ from those through the exact curve by less than one of 255 levels. A table would be exact
// but is slower. It rises at each level, so its inverse gives each level back.
static inline words NAME(linear)(words level) {
  words x = (level << 7) + (level >> 1);
  words sum = NAME(high_product)(x, NAME(splat)(-8022)) + NAME(splat)(12408);
  sum = NAME(high_product)(x, sum + sum) + NAME(splat)(7060);
  sum = NAME(high_product)(x, sum + sum) + NAME(splat)(861);
  return NAME(high_product)(x, sum + sum);
}

// `luma` has four binary places and half a unit added.
static inline words NAME(light)(words luma, words offset) {
  words level = (luma + offset) >> 4;
  level = __builtin_elementwise_max(level, NAME(splat)(0));
  return NAME(linear)(__builtin_elementwise_min(level, NAME(splat)(255)));
}

// Each word of the lower or the upper half twice.
#if BYTES == 16
#define TWICE_LOW(v) __builtin_shufflevector(v, v, 0, 0, 1, 1, 2, 2, 3, 3)
#define TWICE_HIGH(v) __builtin_shufflevector(v, v, 4, 4, 5, 5, 6, 6, 7, 7)
#else
#define TWICE_LOW(v)                                                                               \
  __builtin_shufflevector(v, v, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7)
#define TWICE_HIGH(v)                                                                              \
  __builtin_shufflevector(v, v, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15)
#endif

// From `x` on, as long as whole groups fit; returns where it ended.
static size_t NAME(linear_from_ycc)(
    const uint8_t *y, const uint8_t *cb, const uint8_t *cr, int16_t *red, int16_t *green,
    int16_t *blue, size_t x, size_t width) {
  for (; x + 2 * WORDS <= width; x += 2 * WORDS) {
    // JFIF's constants, with four binary places in the products.
    words b = (NAME(load_bytes)(cb + x / 2) - NAME(splat)(128)) << 8;
    words r = (NAME(load_bytes)(cr + x / 2) - NAME(splat)(128)) << 8;
    words to_red = NAME(high_product)(r, NAME(splat)(5743));
    words to_green = NAME(high_product)(b, NAME(splat)(-1410)) +
                     NAME(high_product)(r, NAME(splat)(-2925));
    words to_blue = NAME(high_product)(b, NAME(splat)(7258));
    words low = (NAME(load_bytes)(y + x) << 4) + NAME(splat)(8);
    words high = (NAME(load_bytes)(y + x + WORDS) << 4) + NAME(splat)(8);
    NAME(store_words)(red + x, NAME(light)(low, TWICE_LOW(to_red)));
    NAME(store_words)(red + x + WORDS, NAME(light)(high, TWICE_HIGH(to_red)));
    NAME(store_words)(green + x, NAME(light)(low, TWICE_LOW(to_green)));
    NAME(store_words)(green + x + WORDS, NAME(light)(high, TWICE_HIGH(to_green)));
    NAME(store_words)(blue + x, NAME(light)(low, TWICE_LOW(to_blue)));
    NAME(store_words)(blue + x + WORDS, NAME(light)(high, TWICE_HIGH(to_blue)));
  }
  return x;
}

#undef TWICE_LOW
#undef TWICE_HIGH

// MARK: - Averages

// Adds a[i] * even + b[i] * odd to the sums. Which sum lies where is the instruction's affair:
// `samples` puts them back in order.
static inline void NAME(add_products)(words a, words b, quads weights, quads *low, quads *high) {
#if defined(__SSE2__) && BYTES == 16
  *low += (quads)_mm_madd_epi16(_mm_unpacklo_epi16((__m128i)a, (__m128i)b), (__m128i)weights);
  *high += (quads)_mm_madd_epi16(_mm_unpackhi_epi16((__m128i)a, (__m128i)b), (__m128i)weights);
#elif defined(__SSE2__)
  *low +=
      (quads)_mm256_madd_epi16(_mm256_unpacklo_epi16((__m256i)a, (__m256i)b), (__m256i)weights);
  *high +=
      (quads)_mm256_madd_epi16(_mm256_unpackhi_epi16((__m256i)a, (__m256i)b), (__m256i)weights);
#else
  words pair = (words)weights;
  for (int i = 0; i < WORDS / 2; i++) {
    (*low)[i] += a[i] * pair[0] + b[i] * pair[1];
    (*high)[i] += a[WORDS / 2 + i] * pair[0] + b[WORDS / 2 + i] * pair[1];
  }
#endif
}

static inline quads NAME(weight_pair)(int16_t even, int16_t odd) {
  int16_t both[2] = {even, odd};
  int32_t bits;
  memcpy(&bits, both, sizeof bits);
  return (quads){0} + bits;
}

static inline words NAME(samples)(quads low, quads high) {
  low = (low + TOTE_WEIGHT_ONE / 2) >> 14;
  high = (high + TOTE_WEIGHT_ONE / 2) >> 14;
#if defined(__SSE2__) && BYTES == 16
  return (words)_mm_packs_epi32((__m128i)low, (__m128i)high);
#elif defined(__SSE2__)
  return (words)_mm256_packs_epi32((__m256i)low, (__m256i)high);
#else
  words result;
  for (int i = 0; i < WORDS / 2; i++) {
    result[i] = (int16_t)low[i];
    result[WORDS / 2 + i] = (int16_t)high[i];
  }
  return result;
#endif
}

static size_t NAME(add_rows)(
    const int16_t *const *rows, const int16_t *weights, int count, int32_t *sums, size_t x,
    size_t width) {
  for (; x + WORDS <= width; x += WORDS) {
    quads low, high;
    memcpy(&low, sums + x, sizeof low);
    memcpy(&high, sums + x + WORDS / 2, sizeof high);
    int row = 0;
    for (; row + 1 < count; row += 2)
      NAME(add_products)(
          NAME(load_words)(rows[row] + x), NAME(load_words)(rows[row + 1] + x),
          NAME(weight_pair)(weights[row], weights[row + 1]), &low, &high);
    if (row < count)
      NAME(add_products)(
          NAME(load_words)(rows[row] + x), NAME(splat)(0), NAME(weight_pair)(weights[row], 0),
          &low, &high);
    memcpy(sums + x, &low, sizeof low);
    memcpy(sums + x + WORDS / 2, &high, sizeof high);
  }
  return x;
}

static size_t NAME(take_sums)(int32_t *sums, int16_t *out, size_t x, size_t width) {
  quads zero = {0};
  for (; x + WORDS <= width; x += WORDS) {
    quads low, high;
    memcpy(&low, sums + x, sizeof low);
    memcpy(&high, sums + x + WORDS / 2, sizeof high);
    NAME(store_words)(out + x, NAME(samples)(low, high));
    memcpy(sums + x, &zero, sizeof zero);
    memcpy(sums + x + WORDS / 2, &zero, sizeof zero);
  }
  return x;
}

#undef words
#undef half_bytes
#undef quads
#undef WORDS
#undef BYTES
#undef NAME
