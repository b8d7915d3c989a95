#include "CZlib.h"

#include <dlfcn.h>
#include <pthread.h>

#define TOTE_ZLIB_FUNCTIONS(X)                                                                     \
  X(deflateInit2_)                                                                                 \
  X(inflateInit2_)                                                                                 \
  X(deflate)                                                                                       \
  X(inflate)                                                                                       \
  X(inflateReset)                                                                                  \
  X(deflateEnd)                                                                                    \
  X(inflateEnd)                                                                                    \
  X(crc32)

static struct {
#define TOTE_FIELD(name) __typeof__(&name) name;
  TOTE_ZLIB_FUNCTIONS(TOTE_FIELD)
#undef TOTE_FIELD
} table;

static int load_result = -1;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
#define TOTE_LOOK_UP(name)                                                                         \
  table.name = (__typeof__(table.name))dlsym(library, #name);                                      \
  if (table.name == NULL) return;
  TOTE_ZLIB_FUNCTIONS(TOTE_LOOK_UP)
#undef TOTE_LOOK_UP
  load_result = 0;
}

int tote_zlib_load(void) {
  pthread_once(&load_once, load);
  return load_result;
}

int tote_zlib_deflate_init(z_stream *stream, int level, int window_bits) {
  return table.deflateInit2_(
      stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      (int)sizeof *stream);
}

int tote_zlib_inflate_init(z_stream *stream, int window_bits) {
  return table.inflateInit2_(stream, window_bits, ZLIB_VERSION, (int)sizeof *stream);
}

int tote_zlib_deflate(z_stream *stream, int flush) { return table.deflate(stream, flush); }
int tote_zlib_inflate(z_stream *stream, int flush) { return table.inflate(stream, flush); }
int tote_zlib_inflate_reset(z_stream *stream) { return table.inflateReset(stream); }
void tote_zlib_deflate_end(z_stream *stream) { table.deflateEnd(stream); }
void tote_zlib_inflate_end(z_stream *stream) { table.inflateEnd(stream); }

unsigned long tote_zlib_crc32(unsigned long seed, const unsigned char *bytes, unsigned int size) {
  return table.crc32(seed, bytes, size);
}
