#ifndef TOTE_CJPEG_GUARD_H
#define TOTE_CJPEG_GUARD_H

#include "CJPEG.h"

#include <setjmp.h>
#include <stdio.h>
// After stdio.h, which it needs.
#include <jpeglib.h>

#include <jerror.h>

#define TOTE_JPEG_FUNCTIONS(X)                                                                     \
  X(jpeg_std_error)                                                                                \
  X(jpeg_resync_to_restart)                                                                        \
  X(jpeg_CreateDecompress)                                                                         \
  X(jpeg_destroy_decompress)                                                                       \
  X(jpeg_read_header)                                                                              \
  X(jpeg_has_multiple_scans)                                                                       \
  X(jpeg_start_decompress)                                                                         \
  X(jpeg_read_raw_data)                                                                            \
  X(jpeg_read_scanlines)                                                                           \
  X(jpeg_CreateCompress)                                                                           \
  X(jpeg_destroy_compress)                                                                         \
  X(jpeg_set_defaults)                                                                             \
  X(jpeg_set_colorspace)                                                                           \
  X(jpeg_set_quality)                                                                              \
  X(jpeg_start_compress)                                                                           \
  X(jpeg_write_raw_data)                                                                           \
  X(jpeg_write_scanlines)                                                                          \
  X(jpeg_finish_compress)

// libjpeg's functions, valid after `tote_jpeg_load` returned 0.
struct tote_jpeg_functions {
#define TOTE_FIELD(name) __typeof__(&name) name;
  TOTE_JPEG_FUNCTIONS(TOTE_FIELD)
#undef TOTE_FIELD
};
extern struct tote_jpeg_functions tote_jpeg_table;

// What a decoder and an encoder have in common: where errors jump to, and the count of memory.
// `client_data` of libjpeg's struct points to it.
struct tote_jpeg_guard {
  struct jpeg_error_mgr errors;
  jmp_buf jump;
  // Set before the jump.
  tote_jpeg_status status;
  size_t memory, memory_limit;
  struct jpeg_memory_mgr original;
};

// Makes the handlers; the caller sets `err` of libjpeg's struct to `errors` and, after creating
// it, calls `tote_jpeg_guard_memory`.
void tote_jpeg_guard_init(struct tote_jpeg_guard *guard, size_t memory_limit);
// Counts what libjpeg allocates from now on. Its own limit covers only the buffers that it could
// move to a file, so the others are counted here.
void tote_jpeg_guard_memory(struct tote_jpeg_guard *guard, j_common_ptr info);
// Ends a call of libjpeg from within one of its callbacks.
_Noreturn void tote_jpeg_fail(struct tote_jpeg_guard *guard, tote_jpeg_status status);

#endif
