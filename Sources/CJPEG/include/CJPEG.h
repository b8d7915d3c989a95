#ifndef TOTE_CJPEG_H
#define TOTE_CJPEG_H

#include <stddef.h>
#include <stdint.h>

// libjpeg-turbo and Little CMS are not linked: only photos need them. Every function here goes
// through tables that `tote_jpeg_load` and `tote_colour_load` fill.
//
// libjpeg reports errors by `longjmp`. No jump leaves this target: each call that can meet one
// returns a status instead. Nothing here prints or keeps state outside its arguments.

// Loads libjpeg once; 0 when it is there, -1 when it is not installed.
int tote_jpeg_load(void);

typedef enum tote_jpeg_status : int32_t {
  TOTE_JPEG_OK = 0,
  // The data breaks the format's rules.
  TOTE_JPEG_CORRUPT,
  // Legal, but not something that libjpeg decodes to 8-bit samples.
  TOTE_JPEG_UNSUPPORTED,
  // More memory than the limit would be needed, or the system has no more.
  TOTE_JPEG_MEMORY,
  TOTE_JPEG_SCANS,
  TOTE_JPEG_DEADLINE,
  TOTE_JPEG_CANCELLED,
  // The file could not be read.
  TOTE_JPEG_READ,
  // The receiver of the encoded bytes failed.
  TOTE_JPEG_WRITE,
} tote_jpeg_status;

typedef enum tote_jpeg_colours : int32_t {
  TOTE_JPEG_GREY,
  TOTE_JPEG_RGB,
  TOTE_JPEG_YCC,
  // Also of YCCK, which libjpeg converts.
  TOTE_JPEG_CMYK,
  TOTE_JPEG_OTHER,
} tote_jpeg_colours;

// Where compressed bytes come from: memory, or when `bytes` is NULL a file that is read with pread.
// Libjpeg sees the bytes from 0 to `end`, and after them an EOI marker.
typedef struct {
  const uint8_t *bytes;
  int descriptor;
  size_t end;
} tote_jpeg_source;

typedef struct {
  // Bytes that libjpeg may hold at once.
  size_t memory;
  int scans;
  // Nanoseconds of CLOCK_MONOTONIC.
  int64_t deadline;
  // Asked now and then; a value other than 0 ends the work. May be NULL.
  int (*is_cancelled)(void *context);
  void *context;
} tote_jpeg_limits;

typedef struct {
  int width, height, components;
  tote_jpeg_colours colours;
  // Progressive, or with its components in several scans: needs all coefficients in memory.
  int is_buffered;
  int saw_adobe_marker;
  // Of components 0 to 3.
  int horizontal[4], vertical[4];
} tote_jpeg_info;

#define TOTE_JPEG_WHOLE 1024

// What the decoder complained about so far.
typedef struct {
  // Warnings about damaged data.
  long warnings;
  // How much of the picture has no data, in parts of `TOTE_JPEG_WHOLE`; 0 if none is missing.
  int missing;
  // How often a marker, or the end, came before the data of a scan was complete.
  int early_ends;
  // Rows of blocks in the picture.
  int rows;
  // Data is missing because the source has ended, not because of a marker in it.
  int ran_out;
  // 0: each coefficient has been sent in full; 1: some detail has not; 2: a component is missing.
  int incompleteness;
} tote_jpeg_damage;

typedef struct tote_jpeg_decoder tote_jpeg_decoder;

// Rows of samples, one plane for each component: the first row's address and the bytes from a row
// to the next.
typedef struct {
  uint8_t *base[3];
  size_t stride[3];
} tote_jpeg_planes;

// NULL when there is no memory for it.
tote_jpeg_decoder *tote_jpeg_decoder_new(
    const tote_jpeg_source *source, const tote_jpeg_limits *limits);
void tote_jpeg_decoder_free(tote_jpeg_decoder *decoder);

tote_jpeg_status tote_jpeg_read_header(tote_jpeg_decoder *decoder, tote_jpeg_info *info);
// Starts decoding to planes as they are stored, without conversion or scaling.
tote_jpeg_status tote_jpeg_start_planes(tote_jpeg_decoder *decoder);
// Starts decoding to interleaved rows of grey, RGB, YCC or CMYK.
tote_jpeg_status tote_jpeg_start_rows(tote_jpeg_decoder *decoder, tote_jpeg_colours colours);
// Decodes one row of blocks. Each plane must hold 8 rows for each unit of its vertical sampling,
// as wide as its blocks. `rows` becomes the number of rows of the picture, 0 after the last.
tote_jpeg_status tote_jpeg_read_planes(
    tote_jpeg_decoder *decoder, const tote_jpeg_planes *planes, int *rows);
// Decodes up to `count` rows; `rows` becomes how many, 0 after the last.
tote_jpeg_status tote_jpeg_read_rows(
    tote_jpeg_decoder *decoder, uint8_t *base, size_t stride, int count, int *rows);
tote_jpeg_damage tote_jpeg_decoder_damage(const tote_jpeg_decoder *decoder);
// Where in the source the next byte to decode is. The decoder reads up to 8 bytes ahead.
size_t tote_jpeg_decoder_position(const tote_jpeg_decoder *decoder);

typedef struct tote_jpeg_encoder tote_jpeg_encoder;

typedef struct {
  int width, height;
  // 1 for grey, 3 for colour.
  int components;
  // 1 to 100.
  int quality;
  // Planes of YCbCr 4:2:0 or grey, instead of rows of RGB or grey.
  int takes_planes;
  // Bytes that libjpeg may hold at once.
  size_t memory;
  // Takes the next encoded bytes; a value other than 0 ends the work.
  int (*write)(void *context, const uint8_t *bytes, size_t count);
  void *context;
} tote_jpeg_output;

// NULL when there is no memory for it. What is written is baseline, with JFIF's marker and no other.
tote_jpeg_encoder *tote_jpeg_encoder_new(const tote_jpeg_output *output);
void tote_jpeg_encoder_free(tote_jpeg_encoder *encoder);

tote_jpeg_status tote_jpeg_encoder_start(tote_jpeg_encoder *encoder);
// Encodes 16 rows, fewer at the end. Every plane must be filled up to whole blocks.
tote_jpeg_status tote_jpeg_write_planes(tote_jpeg_encoder *encoder, const tote_jpeg_planes *planes);
tote_jpeg_status tote_jpeg_write_rows(
    tote_jpeg_encoder *encoder, const uint8_t *base, size_t stride, int count);
tote_jpeg_status tote_jpeg_encoder_finish(tote_jpeg_encoder *encoder);

#include "CJPEGColour.h"
#include "CJPEGPixels.h"

#endif
