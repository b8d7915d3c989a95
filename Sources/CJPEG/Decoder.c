#include "Guard.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define WINDOW 65536
// Rows of samples that one row of blocks can have: 8 times the largest vertical sampling.
#define ROWS 32

struct tote_jpeg_decoder {
  struct tote_jpeg_guard guard;
  struct jpeg_decompress_struct info;
  struct jpeg_source_mgr manager;
  struct jpeg_progress_mgr progress;
  tote_jpeg_source source;
  size_t position;
  tote_jpeg_limits limits;
  tote_jpeg_damage damage;
  // The source has ended, and an EOI marker was put in its place.
  int ran_out;
  unsigned calls;
  uint8_t window[WINDOW];
};

// MARK: - Callbacks

static void init_source(j_decompress_ptr info) { (void)info; }

static boolean fill_input_buffer(j_decompress_ptr info) {
  static const uint8_t end[2] = {0xFF, JPEG_EOI};
  struct tote_jpeg_decoder *decoder = info->client_data;
  size_t left = decoder->source.end - decoder->position;
  if (left > 0 && decoder->source.bytes != NULL) {
    decoder->manager.next_input_byte = decoder->source.bytes + decoder->position;
    decoder->manager.bytes_in_buffer = left;
    decoder->position = decoder->source.end;
    return TRUE;
  }
  if (left > 0) {
    ssize_t count;
    do {
      count = pread(
          decoder->source.descriptor, decoder->window, left < WINDOW ? left : WINDOW,
          (off_t)decoder->position);
    } while (count < 0 && errno == EINTR);
    // A file that has become shorter has no more of the picture either.
    if (count < 0) tote_jpeg_fail(&decoder->guard, TOTE_JPEG_READ);
    if (count > 0) {
      decoder->manager.next_input_byte = decoder->window;
      decoder->manager.bytes_in_buffer = (size_t)count;
      decoder->position += (size_t)count;
      return TRUE;
    }
  }
  decoder->ran_out = 1;
  decoder->manager.next_input_byte = end;
  decoder->manager.bytes_in_buffer = sizeof end;
  return TRUE;
}

static void skip_input_data(j_decompress_ptr info, long count) {
  struct tote_jpeg_decoder *decoder = info->client_data;
  if (count <= 0) return;
  size_t wanted = (size_t)count;
  size_t buffered = decoder->manager.bytes_in_buffer;
  if (wanted <= buffered) {
    decoder->manager.next_input_byte += wanted;
    decoder->manager.bytes_in_buffer -= wanted;
    return;
  }
  wanted -= buffered;
  size_t left = decoder->source.end - decoder->position;
  decoder->position += wanted < left ? wanted : left;
  decoder->manager.bytes_in_buffer = 0;
  fill_input_buffer(info);
}

static void term_source(j_decompress_ptr info) { (void)info; }

// A marker, or the end, came before the data of a scan was complete.
static void note_missing(struct tote_jpeg_decoder *decoder) {
  j_decompress_ptr info = &decoder->info;
  // Scans after the first add detail; pixels are missing only where a first scan ends early.
  int is_first = !info->progressive_mode || (info->Ss == 0 && info->Ah == 0);
  decoder->damage.early_ends++;
  if (decoder->ran_out) decoder->damage.ran_out = 1;
  if (!is_first && !decoder->ran_out) return;
  int64_t whole = TOTE_JPEG_WHOLE;
  if (decoder->ran_out || info->restart_interval == 0) {
    int64_t rows = info->total_iMCU_rows > 0 ? info->total_iMCU_rows : 1;
    int64_t missing = (rows - info->input_iMCU_row) * whole / rows;
    if (missing < 1) missing = 1;
    if (missing > decoder->damage.missing) decoder->damage.missing = (int)missing;
    return;
  }
  // The decoder goes on at the next restart marker, so each such place costs one interval.
  int64_t units = (int64_t)info->MCUs_per_row * info->MCU_rows_in_scan;
  int64_t sum = decoder->damage.missing + info->restart_interval * whole / (units > 0 ? units : 1);
  decoder->damage.missing = (int)(sum < 1 ? 1 : sum > whole ? whole : sum);
}

static void emit_message(j_common_ptr common, int level) {
  if (level >= 0) return;
  struct tote_jpeg_decoder *decoder = common->client_data;
  switch (common->err->msg_code) {
  // About a version number, or a transform that Adobe has not defined: no data is damaged.
  case JWRN_JFIF_MAJOR:
  case JWRN_ADOBE_XFORM: return;
  case JWRN_HIT_MARKER:
    decoder->damage.warnings++;
    note_missing(decoder);
    return;
  default: decoder->damage.warnings++;
  }
}

static void check_limits(struct tote_jpeg_decoder *decoder) {
  if (decoder->info.input_scan_number > decoder->limits.scans)
    tote_jpeg_fail(&decoder->guard, TOTE_JPEG_SCANS);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (now.tv_sec * 1000000000LL + now.tv_nsec > decoder->limits.deadline)
    tote_jpeg_fail(&decoder->guard, TOTE_JPEG_DEADLINE);
  if (decoder->limits.is_cancelled != NULL &&
      decoder->limits.is_cancelled(decoder->limits.context))
    tote_jpeg_fail(&decoder->guard, TOTE_JPEG_CANCELLED);
}

// Called for each row of blocks while scans are read, and for each call that returns rows.
static void monitor(j_common_ptr info) {
  struct tote_jpeg_decoder *decoder = info->client_data;
  if (decoder->calls++ % 8 == 0) check_limits(decoder);
}

// MARK: - Calls

tote_jpeg_decoder *tote_jpeg_decoder_new(
    const tote_jpeg_source *source, const tote_jpeg_limits *limits) {
  struct tote_jpeg_decoder *decoder = calloc(1, sizeof *decoder);
  if (decoder == NULL) return NULL;
  decoder->source = *source;
  decoder->limits = *limits;
  tote_jpeg_guard_init(&decoder->guard, limits->memory);
  decoder->guard.errors.emit_message = emit_message;
  decoder->info.err = &decoder->guard.errors;
  decoder->info.client_data = decoder;
  if (setjmp(decoder->guard.jump)) {
    tote_jpeg_decoder_free(decoder);
    return NULL;
  }
  tote_jpeg_table.jpeg_CreateDecompress(
      &decoder->info, JPEG_LIB_VERSION, sizeof(struct jpeg_decompress_struct));
  tote_jpeg_guard_memory(&decoder->guard, (j_common_ptr)&decoder->info);
  decoder->manager.init_source = init_source;
  decoder->manager.fill_input_buffer = fill_input_buffer;
  decoder->manager.skip_input_data = skip_input_data;
  decoder->manager.resync_to_restart = tote_jpeg_table.jpeg_resync_to_restart;
  decoder->manager.term_source = term_source;
  decoder->info.src = &decoder->manager;
  decoder->progress.progress_monitor = monitor;
  decoder->info.progress = &decoder->progress;
  return decoder;
}

void tote_jpeg_decoder_free(tote_jpeg_decoder *decoder) {
  if (decoder == NULL) return;
  if (decoder->info.mem != NULL) tote_jpeg_table.jpeg_destroy_decompress(&decoder->info);
  free(decoder);
}

// Returns the status of a jump; everything the call changes lives in the decoder.
#define RETURN_ON_JUMP(object)                                                                     \
  if (setjmp((object)->guard.jump)) return (object)->guard.status

static tote_jpeg_colours colours_of(J_COLOR_SPACE space) {
  switch (space) {
  case JCS_GRAYSCALE: return TOTE_JPEG_GREY;
  case JCS_RGB: return TOTE_JPEG_RGB;
  case JCS_YCbCr: return TOTE_JPEG_YCC;
  case JCS_CMYK:
  case JCS_YCCK: return TOTE_JPEG_CMYK;
  default: return TOTE_JPEG_OTHER;
  }
}

tote_jpeg_status tote_jpeg_read_header(tote_jpeg_decoder *decoder, tote_jpeg_info *info) {
  RETURN_ON_JUMP(decoder);
  j_decompress_ptr jpeg = &decoder->info;
  if (tote_jpeg_table.jpeg_read_header(jpeg, TRUE) != JPEG_HEADER_OK) return TOTE_JPEG_CORRUPT;
  info->width = (int)jpeg->image_width;
  info->height = (int)jpeg->image_height;
  info->components = jpeg->num_components;
  info->colours = colours_of(jpeg->jpeg_color_space);
  info->is_buffered = tote_jpeg_table.jpeg_has_multiple_scans(jpeg);
  info->saw_adobe_marker = jpeg->saw_Adobe_marker;
  for (int i = 0; i < 4; i++) {
    info->horizontal[i] = i < jpeg->num_components ? jpeg->comp_info[i].h_samp_factor : 0;
    info->vertical[i] = i < jpeg->num_components ? jpeg->comp_info[i].v_samp_factor : 0;
  }
  return TOTE_JPEG_OK;
}

// After all scans of a buffered picture: which coefficients have come, and how exactly.
static int incompleteness(j_decompress_ptr jpeg) {
  if (jpeg->coef_bits == NULL) return 0;
  int worst = 0;
  for (int i = 0; i < jpeg->num_components; i++) {
    if (jpeg->coef_bits[i][0] < 0) return 2;
    for (int k = 0; k < DCTSIZE2; k++)
      if (jpeg->coef_bits[i][k] != 0) worst = 1;
  }
  return worst;
}

static tote_jpeg_status start(tote_jpeg_decoder *decoder) {
  j_decompress_ptr jpeg = &decoder->info;
  if (!tote_jpeg_table.jpeg_start_decompress(jpeg)) return TOTE_JPEG_CORRUPT;
  decoder->damage.incompleteness = incompleteness(jpeg);
  return TOTE_JPEG_OK;
}

tote_jpeg_status tote_jpeg_start_planes(tote_jpeg_decoder *decoder) {
  RETURN_ON_JUMP(decoder);
  decoder->info.raw_data_out = TRUE;
  decoder->info.out_color_space = decoder->info.jpeg_color_space;
  return start(decoder);
}

tote_jpeg_status tote_jpeg_start_rows(tote_jpeg_decoder *decoder, tote_jpeg_colours colours) {
  RETURN_ON_JUMP(decoder);
  static const J_COLOR_SPACE spaces[] = {
      [TOTE_JPEG_GREY] = JCS_GRAYSCALE, [TOTE_JPEG_RGB] = JCS_RGB, [TOTE_JPEG_YCC] = JCS_YCbCr,
      [TOTE_JPEG_CMYK] = JCS_CMYK,      [TOTE_JPEG_OTHER] = JCS_UNKNOWN};
  decoder->info.out_color_space = spaces[colours];
  return start(decoder);
}

tote_jpeg_status tote_jpeg_read_planes(
    tote_jpeg_decoder *decoder, const tote_jpeg_planes *planes, int *rows) {
  RETURN_ON_JUMP(decoder);
  j_decompress_ptr jpeg = &decoder->info;
  *rows = 0;
  if (jpeg->output_scanline >= jpeg->output_height) return TOTE_JPEG_OK;
  JSAMPROW pointers[3][ROWS];
  JSAMPARRAY arrays[3];
  for (int i = 0; i < jpeg->num_components && i < 3; i++) {
    int count = jpeg->comp_info[i].v_samp_factor * DCTSIZE;
    for (int row = 0; row < count && row < ROWS; row++)
      pointers[i][row] = planes->base[i] + (size_t)row * planes->stride[i];
    arrays[i] = pointers[i];
  }
  JDIMENSION before = jpeg->output_scanline;
  JDIMENSION lines = (JDIMENSION)jpeg->max_v_samp_factor * DCTSIZE;
  if (tote_jpeg_table.jpeg_read_raw_data(jpeg, arrays, lines) == 0) return TOTE_JPEG_CORRUPT;
  JDIMENSION left = jpeg->output_height - before;
  *rows = (int)(left < lines ? left : lines);
  return TOTE_JPEG_OK;
}

tote_jpeg_status tote_jpeg_read_rows(
    tote_jpeg_decoder *decoder, uint8_t *base, size_t stride, int count, int *rows) {
  RETURN_ON_JUMP(decoder);
  j_decompress_ptr jpeg = &decoder->info;
  *rows = 0;
  while (*rows < count && jpeg->output_scanline < jpeg->output_height) {
    JSAMPROW row = base + (size_t)*rows * stride;
    if (tote_jpeg_table.jpeg_read_scanlines(jpeg, &row, 1) == 0) return TOTE_JPEG_CORRUPT;
    *rows += 1;
  }
  return TOTE_JPEG_OK;
}

tote_jpeg_damage tote_jpeg_decoder_damage(const tote_jpeg_decoder *decoder) {
  tote_jpeg_damage damage = decoder->damage;
  damage.rows = (int)decoder->info.total_iMCU_rows;
  return damage;
}

size_t tote_jpeg_decoder_position(const tote_jpeg_decoder *decoder) {
  size_t buffered = decoder->ran_out ? 0 : decoder->manager.bytes_in_buffer;
  return decoder->position - buffered;
}
