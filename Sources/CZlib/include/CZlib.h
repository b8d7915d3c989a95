#ifndef TOTE_CZLIB_H
#define TOTE_CZLIB_H

#include <zlib.h>

// zlib is not linked: only few commands compress. Every function here goes through a table that
// `tote_zlib_load` fills.

// Loads the library once; 0 when it is there, -1 when it is not installed.
int tote_zlib_load(void);

// deflateInit2 and inflateInit2 are macros. Window bits: 31 is gzip, 15 zlib, -15 raw; 47 detects
// gzip or zlib when inflating.
int tote_zlib_deflate_init(z_stream *stream, int level, int window_bits);
int tote_zlib_inflate_init(z_stream *stream, int window_bits);
int tote_zlib_deflate(z_stream *stream, int flush);
int tote_zlib_inflate(z_stream *stream, int flush);
int tote_zlib_inflate_reset(z_stream *stream);
void tote_zlib_deflate_end(z_stream *stream);
void tote_zlib_inflate_end(z_stream *stream);
unsigned long tote_zlib_crc32(unsigned long seed, const unsigned char *bytes, unsigned int size);

#endif
