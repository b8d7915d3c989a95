// What `make bench` holds the photo pipeline against: a bare loop over libjpeg-turbo that decodes,
// encodes again and makes a thumbnail from the same rows, and the maker of the photos for it.
//
//   reference generate WIDTH HEIGHT SAMPLING KIND SEED >photo.jpg    (420|422|444, baseline|progressive)
//   reference loop ROUNDS PHOTO…    prints a line for each: best CPU ms, median CPU ms, bytes written

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
// After stdio.h, which it needs.
#include <jpeglib.h>

// MARK: - Photos

static uint64_t state;

static uint64_t next_random(void) {
  state += 0x9E3779B97F4A7C15;
  uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31);
}

static float uniform(void) { return (float)(next_random() >> 40) / (1 << 24); }

// Noise whose detail has the size of `cell` pixels, added to a plane.
static void add_noise(float *plane, int width, int height, int cell, float strength) {
  int across = width / cell + 3, down = height / cell + 3;
  float *grid = malloc(sizeof(float) * (size_t)across * (size_t)down);
  for (int i = 0; i < across * down; i++) grid[i] = uniform() - 0.5f;
  for (int y = 0; y < height; y++) {
    const float *top = grid + (y / cell) * across, *bottom = top + across;
    float v = (float)(y % cell) / cell;
    v = v * v * (3 - 2 * v);
    for (int x = 0; x < width; x++) {
      int i = x / cell;
      float u = (float)(x % cell) / cell;
      u = u * u * (3 - 2 * u);
      float a = top[i] + u * (top[i + 1] - top[i]);
      float b = bottom[i] + u * (bottom[i + 1] - bottom[i]);
      plane[(size_t)y * width + x] += strength * (a + v * (b - a));
    }
  }
  free(grid);
}

static void generate(char **arguments) {
  int width = atoi(arguments[0]), height = atoi(arguments[1]);
  const char *sampling = arguments[2];
  state = strtoull(arguments[4], NULL, 10);
  size_t size = (size_t)width * height;
  float *planes[3];
  for (int c = 0; c < 3; c++) {
    planes[c] = calloc(size, sizeof(float));
    // Strength falls with size as in photographs; brightness has more detail than colour.
    for (int cell = 1024; cell >= 2; cell /= 2)
      if (c == 0 || cell >= 16) add_noise(planes[c], width, height, cell, (c ? 18 : 26) * powf(cell, 0.45f) / 3);
  }
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  jpeg_stdio_dest(&info, stdout);
  info.image_width = width, info.image_height = height;
  info.input_components = 3, info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 93, TRUE);
  info.comp_info[0].h_samp_factor = strcmp(sampling, "444") ? 2 : 1;
  info.comp_info[0].v_samp_factor = strcmp(sampling, "420") ? 1 : 2;
  if (!strcmp(arguments[3], "progressive")) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  uint8_t *row = malloc((size_t)width * 3);
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      size_t i = (size_t)y * width + x;
      // Four uniform numbers make a bell: what a sensor adds.
      float sensor = 3.2f * (uniform() + uniform() + uniform() + uniform() - 2);
      float light = 118 + planes[0][i] + sensor;
      float rgb[3] = {light + planes[1][i], light - planes[1][i] / 2 + planes[2][i] / 3, light - planes[2][i]};
      for (int c = 0; c < 3; c++) row[3 * x + c] = rgb[c] < 0 ? 0 : rgb[c] > 255 ? 255 : (uint8_t)rgb[c];
    }
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
}

// MARK: - The loop

#define SIDE 320

static double cpu_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static void start(struct jpeg_compress_struct *info, int width, int height, int quality, unsigned char **out, unsigned long *size) {
  jpeg_create_compress(info);
  jpeg_mem_dest(info, out, size);
  info->image_width = width, info->image_height = height;
  info->input_components = 3, info->in_color_space = JCS_RGB;
  jpeg_set_defaults(info);
  jpeg_set_quality(info, quality, TRUE);
  jpeg_start_compress(info, TRUE);
}

// Decodes to RGB rows, encodes each at once, and adds the middle square up for the thumbnail.
static unsigned long process(const unsigned char *bytes, unsigned long size) {
  struct jpeg_decompress_struct in;
  struct jpeg_compress_struct full, small;
  struct jpeg_error_mgr errors;
  in.err = full.err = small.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&in);
  jpeg_mem_src(&in, bytes, size);
  jpeg_read_header(&in, TRUE);
  in.out_color_space = JCS_RGB;
  jpeg_start_decompress(&in);
  int width = in.output_width, height = in.output_height;
  int square = width < height ? width : height;
  int left = (width - square) / 2, top = (height - square) / 2;
  unsigned char *full_out = NULL, *small_out = NULL;
  unsigned long full_size = 0, small_size = 0;
  start(&full, width, height, 85, &full_out, &full_size);
  start(&small, SIDE, SIDE, 82, &small_out, &small_size);
  uint8_t *row = malloc((size_t)width * 3);
  uint8_t *thumbnail = malloc(SIDE * 3);
  uint32_t *sums = calloc((size_t)square * 3, sizeof *sums);
  int rows = 0, made = 0;
  while (in.output_scanline < in.output_height) {
    int y = in.output_scanline - top;
    jpeg_read_scanlines(&in, &row, 1);
    jpeg_write_scanlines(&full, &row, 1);
    if (y < 0 || y >= square) continue;
    const uint8_t *from = row + 3 * left;
    for (int i = 0; i < 3 * square; i++) sums[i] += from[i];
    rows++;
    if ((int64_t)(y + 1) * SIDE / square <= made) continue;
    for (int x = 0; x < SIDE; x++) {
      int first = (int64_t)x * square / SIDE, last = (int64_t)(x + 1) * square / SIDE;
      uint64_t total[3] = {0, 0, 0};
      for (int i = first; i < last; i++)
        for (int c = 0; c < 3; c++) total[c] += sums[3 * i + c];
      for (int c = 0; c < 3; c++) thumbnail[3 * x + c] = total[c] / ((uint64_t)rows * (last - first));
    }
    jpeg_write_scanlines(&small, &thumbnail, 1);
    memset(sums, 0, (size_t)square * 3 * sizeof *sums);
    rows = 0, made++;
  }
  jpeg_finish_decompress(&in);
  jpeg_finish_compress(&full);
  jpeg_finish_compress(&small);
  jpeg_destroy_decompress(&in);
  jpeg_destroy_compress(&full);
  jpeg_destroy_compress(&small);
  free(row), free(thumbnail), free(sums), free(full_out), free(small_out);
  return full_size + small_size;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void loop(int rounds, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) exit(66);
  fseek(file, 0, SEEK_END);
  unsigned long size = ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(size);
  if (fread(bytes, 1, size, file) != size) exit(74);
  fclose(file);
  double *times = malloc(sizeof(double) * rounds);
  unsigned long written = 0;
  for (int i = 0; i < rounds; i++) {
    double before = cpu_milliseconds();
    written = process(bytes, size);
    times[i] = cpu_milliseconds() - before;
  }
  qsort(times, rounds, sizeof(double), ascending);
  printf("%.2f %.2f %lu\n", times[0], times[rounds / 2], written);
  fflush(stdout);
  free(bytes), free(times);
}

int main(int count, char **arguments) {
  if (count == 7 && !strcmp(arguments[1], "generate")) {
    generate(arguments + 2);
    return 0;
  }
  if (count >= 4 && !strcmp(arguments[1], "loop")) {
    for (int i = 3; i < count; i++) loop(atoi(arguments[2]), arguments[i]);
    return 0;
  }
  fprintf(stderr, "usage: reference generate WIDTH HEIGHT SAMPLING KIND SEED | loop ROUNDS PHOTO…\n");
  return 64;
}
