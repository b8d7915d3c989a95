#include "Guard.h"

#include <stdlib.h>

#define BUFFER 65536

struct tote_jpeg_encoder {
  struct tote_jpeg_guard guard;
  struct jpeg_compress_struct info;
  struct jpeg_destination_mgr manager;
  tote_jpeg_output output;
  uint8_t buffer[BUFFER];
};

static void init_destination(j_compress_ptr info) {
  struct tote_jpeg_encoder *encoder = info->client_data;
  encoder->manager.next_output_byte = encoder->buffer;
  encoder->manager.free_in_buffer = BUFFER;
}

static void write_out(struct tote_jpeg_encoder *encoder, size_t count) {
  if (count > 0 && encoder->output.write(encoder->output.context, encoder->buffer, count) != 0)
    tote_jpeg_fail(&encoder->guard, TOTE_JPEG_WRITE);
}

static boolean empty_output_buffer(j_compress_ptr info) {
  struct tote_jpeg_encoder *encoder = info->client_data;
  // The whole buffer is full, whatever `free_in_buffer` says.
  write_out(encoder, BUFFER);
  init_destination(info);
  return TRUE;
}

static void term_destination(j_compress_ptr info) {
  struct tote_jpeg_encoder *encoder = info->client_data;
  write_out(encoder, BUFFER - encoder->manager.free_in_buffer);
}

tote_jpeg_encoder *tote_jpeg_encoder_new(const tote_jpeg_output *output) {
  struct tote_jpeg_encoder *encoder = calloc(1, sizeof *encoder);
  if (encoder == NULL) return NULL;
  encoder->output = *output;
  tote_jpeg_guard_init(&encoder->guard, output->memory);
  encoder->info.err = &encoder->guard.errors;
  encoder->info.client_data = encoder;
  if (setjmp(encoder->guard.jump)) {
    tote_jpeg_encoder_free(encoder);
    return NULL;
  }
  tote_jpeg_table.jpeg_CreateCompress(
      &encoder->info, JPEG_LIB_VERSION, sizeof(struct jpeg_compress_struct));
  tote_jpeg_guard_memory(&encoder->guard, (j_common_ptr)&encoder->info);
  encoder->manager.init_destination = init_destination;
  encoder->manager.empty_output_buffer = empty_output_buffer;
  encoder->manager.term_destination = term_destination;
  encoder->info.dest = &encoder->manager;
  return encoder;
}

void tote_jpeg_encoder_free(tote_jpeg_encoder *encoder) {
  if (encoder == NULL) return;
  if (encoder->info.mem != NULL) tote_jpeg_table.jpeg_destroy_compress(&encoder->info);
  free(encoder);
}

#define RETURN_ON_JUMP(object)                                                                     \
  if (setjmp((object)->guard.jump)) return (object)->guard.status

tote_jpeg_status tote_jpeg_encoder_start(tote_jpeg_encoder *encoder) {
  RETURN_ON_JUMP(encoder);
  j_compress_ptr jpeg = &encoder->info;
  jpeg->image_width = (JDIMENSION)encoder->output.width;
  jpeg->image_height = (JDIMENSION)encoder->output.height;
  jpeg->input_components = encoder->output.components;
  int is_grey = encoder->output.components == 1;
  J_COLOR_SPACE stored = is_grey ? JCS_GRAYSCALE : JCS_YCbCr;
  jpeg->in_color_space = is_grey || encoder->output.takes_planes ? stored : JCS_RGB;
  // Sampling 4:2:0, standard Huffman tables, no restarts: libjpeg's defaults, said where they are
  // not.
  tote_jpeg_table.jpeg_set_defaults(jpeg);
  tote_jpeg_table.jpeg_set_colorspace(jpeg, stored);
  tote_jpeg_table.jpeg_set_quality(jpeg, encoder->output.quality, TRUE);
  jpeg->raw_data_in = encoder->output.takes_planes ? TRUE : FALSE;
  jpeg->dct_method = JDCT_ISLOW;
  jpeg->arith_code = FALSE;
  tote_jpeg_table.jpeg_start_compress(jpeg, TRUE);
  return TOTE_JPEG_OK;
}

tote_jpeg_status tote_jpeg_write_planes(
    tote_jpeg_encoder *encoder, const tote_jpeg_planes *planes) {
  RETURN_ON_JUMP(encoder);
  j_compress_ptr jpeg = &encoder->info;
  int is_grey = jpeg->num_components == 1;
  // A grey picture is encoded 8 rows at a time.
  int lines = is_grey ? DCTSIZE : 2 * DCTSIZE;
  for (int first = 0; first < 2 * DCTSIZE && jpeg->next_scanline < jpeg->image_height;
       first += lines) {
    JSAMPROW pointers[3][2 * DCTSIZE];
    JSAMPARRAY arrays[3];
    for (int i = 0; i < jpeg->num_components; i++) {
      int count = i == 0 ? lines : DCTSIZE;
      for (int row = 0; row < count; row++)
        pointers[i][row] = planes->base[i] + (size_t)(first + row) * planes->stride[i];
      arrays[i] = pointers[i];
    }
    if (tote_jpeg_table.jpeg_write_raw_data(jpeg, arrays, (JDIMENSION)lines) == 0)
      return TOTE_JPEG_WRITE;
  }
  return TOTE_JPEG_OK;
}

tote_jpeg_status tote_jpeg_write_rows(
    tote_jpeg_encoder *encoder, const uint8_t *base, size_t stride, int count) {
  RETURN_ON_JUMP(encoder);
  j_compress_ptr jpeg = &encoder->info;
  for (int i = 0; i < count && jpeg->next_scanline < jpeg->image_height; i++) {
    JSAMPROW row = (JSAMPROW)base + (size_t)i * stride;
    if (tote_jpeg_table.jpeg_write_scanlines(jpeg, &row, 1) == 0) return TOTE_JPEG_WRITE;
  }
  return TOTE_JPEG_OK;
}

tote_jpeg_status tote_jpeg_encoder_finish(tote_jpeg_encoder *encoder) {
  RETURN_ON_JUMP(encoder);
  tote_jpeg_table.jpeg_finish_compress(&encoder->info);
  return TOTE_JPEG_OK;
}
