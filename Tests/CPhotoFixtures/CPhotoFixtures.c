#include "CPhotoFixtures.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
// After stdio.h, which it needs.
#include <jpeglib.h>

struct errors {
  struct jpeg_error_mgr base;
  jmp_buf jump;
};

static void error_exit(j_common_ptr info) { longjmp(((struct errors *)info->err)->jump, 1); }

uint8_t *tote_fixture_encode(const tote_fixture *fixture, const uint8_t *pixels, size_t *size) {
  struct jpeg_compress_struct info;
  struct errors errors;
  info.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = error_exit;
  unsigned char *out = NULL;
  unsigned long length = 0;
  if (setjmp(errors.jump)) {
    jpeg_destroy_compress(&info);
    return NULL;
  }
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &out, &length);
  info.image_width = (JDIMENSION)fixture->width;
  info.image_height = (JDIMENSION)fixture->height;
  info.in_color_space = (J_COLOR_SPACE)fixture->given;
  info.input_components = fixture->given == JCS_GRAYSCALE ? 1 : fixture->given == JCS_CMYK ? 4 : 3;
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, (J_COLOR_SPACE)fixture->stored);
  jpeg_set_quality(&info, fixture->quality, TRUE);
  for (int i = 0; i < info.num_components; i++) {
    // The black of CMYK is as fine as its first component.
    int is_fine = i == 0 || i == 3;
    info.comp_info[i].h_samp_factor = is_fine ? fixture->horizontal : fixture->chroma_horizontal;
    info.comp_info[i].v_samp_factor = is_fine ? fixture->vertical : fixture->chroma_vertical;
  }
  jpeg_scan_info scans[MAX_COMPONENTS];
  if (fixture->is_separate) {
    for (int i = 0; i < info.num_components; i++)
      scans[i] = (jpeg_scan_info){
          .comps_in_scan = 1, .component_index = {i}, .Ss = 0, .Se = 63, .Ah = 0, .Al = 0};
    info.scan_info = scans;
    info.num_scans = info.num_components;
  } else if (fixture->is_progressive) {
    jpeg_simple_progression(&info);
  }
  info.arith_code = fixture->is_arithmetic ? TRUE : FALSE;
  info.restart_interval = (unsigned)fixture->restart_interval;
  if (fixture->is_bare) info.write_JFIF_header = FALSE, info.write_Adobe_marker = FALSE;
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = (JSAMPROW)pixels + (size_t)info.next_scanline * info.image_width *
                                          (size_t)info.input_components;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  *size = length;
  return out;
}
