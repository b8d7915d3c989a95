#include "Guard.h"

#include <dlfcn.h>
#include <pthread.h>

struct tote_jpeg_functions tote_jpeg_table;

static int load_result = -1;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void) {
  // The layout of libjpeg's structs depends on the version that the headers are of.
#if JPEG_LIB_VERSION >= 80
  void *library = dlopen("libjpeg.so.8", RTLD_NOW | RTLD_LOCAL);
#else
  void *library = dlopen("libjpeg.so.62", RTLD_NOW | RTLD_LOCAL);
#endif
  if (library == NULL) return;
#define TOTE_LOOK_UP(name)                                                                         \
  tote_jpeg_table.name = (__typeof__(tote_jpeg_table.name))dlsym(library, #name);                  \
  if (tote_jpeg_table.name == NULL) return;
  TOTE_JPEG_FUNCTIONS(TOTE_LOOK_UP)
#undef TOTE_LOOK_UP
  load_result = 0;
}

int tote_jpeg_load(void) {
  pthread_once(&load_once, load);
  return load_result;
}

void tote_jpeg_fail(struct tote_jpeg_guard *guard, tote_jpeg_status status) {
  guard->status = status;
  longjmp(guard->jump, 1);
}

static tote_jpeg_status status_of(int code) {
  switch (code) {
  case JERR_OUT_OF_MEMORY:
  case JERR_NO_BACKING_STORE:
  case JERR_TFILE_CREATE:
  case JERR_TFILE_READ:
  case JERR_TFILE_SEEK:
  case JERR_TFILE_WRITE:
  case JERR_WIDTH_OVERFLOW: return TOTE_JPEG_MEMORY;
  case JERR_SOF_UNSUPPORTED:
  case JERR_BAD_PRECISION:
  case JERR_FRACT_SAMPLE_NOTIMPL:
  case JERR_CCIR601_NOTIMPL:
  case JERR_CONVERSION_NOTIMPL:
  case JERR_COMPONENT_COUNT:
  case JERR_IMAGE_TOO_BIG:
  case JERR_NOT_COMPILED:
  case JERR_NOTIMPL:
  case JERR_ARITH_NOTIMPL: return TOTE_JPEG_UNSUPPORTED;
  default: return TOTE_JPEG_CORRUPT;
  }
}

static void error_exit(j_common_ptr info) {
  tote_jpeg_fail(info->client_data, status_of(info->err->msg_code));
}

static void output_message(j_common_ptr info) { (void)info; }

// The decoder has its own.
static void emit_message(j_common_ptr info, int level) { (void)info, (void)level; }

void tote_jpeg_guard_init(struct tote_jpeg_guard *guard, size_t memory_limit) {
  tote_jpeg_table.jpeg_std_error(&guard->errors);
  guard->errors.error_exit = error_exit;
  guard->errors.output_message = output_message;
  guard->errors.emit_message = emit_message;
  guard->status = TOTE_JPEG_OK;
  guard->memory = 0;
  guard->memory_limit = memory_limit;
}

// MARK: - Memory

static struct tote_jpeg_guard *count(j_common_ptr info, size_t size, size_t times) {
  struct tote_jpeg_guard *guard = info->client_data;
  size_t bytes;
  if (__builtin_mul_overflow(size, times, &bytes) || bytes > guard->memory_limit ||
      guard->memory > guard->memory_limit - bytes)
    tote_jpeg_fail(guard, TOTE_JPEG_MEMORY);
  guard->memory += bytes;
  return guard;
}

static void *alloc_small(j_common_ptr info, int pool, size_t size) {
  return count(info, size, 1)->original.alloc_small(info, pool, size);
}

static void *alloc_large(j_common_ptr info, int pool, size_t size) {
  return count(info, size, 1)->original.alloc_large(info, pool, size);
}

static JSAMPARRAY alloc_sarray(j_common_ptr info, int pool, JDIMENSION width, JDIMENSION rows) {
  return count(info, width + sizeof(void *), rows)->original.alloc_sarray(info, pool, width, rows);
}

static JBLOCKARRAY alloc_barray(j_common_ptr info, int pool, JDIMENSION width, JDIMENSION rows) {
  return count(info, (size_t)width * sizeof(JBLOCK) + sizeof(void *), rows)
      ->original.alloc_barray(info, pool, width, rows);
}

static jvirt_sarray_ptr request_sarray(
    j_common_ptr info, int pool, boolean zero, JDIMENSION width, JDIMENSION rows,
    JDIMENSION access) {
  return count(info, width + sizeof(void *), rows)
      ->original.request_virt_sarray(info, pool, zero, width, rows, access);
}

static jvirt_barray_ptr request_barray(
    j_common_ptr info, int pool, boolean zero, JDIMENSION width, JDIMENSION rows,
    JDIMENSION access) {
  return count(info, (size_t)width * sizeof(JBLOCK) + sizeof(void *), rows)
      ->original.request_virt_barray(info, pool, zero, width, rows, access);
}

void tote_jpeg_guard_memory(struct tote_jpeg_guard *guard, j_common_ptr info) {
  guard->original = *info->mem;
  info->mem->alloc_small = alloc_small;
  info->mem->alloc_large = alloc_large;
  info->mem->alloc_sarray = alloc_sarray;
  info->mem->alloc_barray = alloc_barray;
  info->mem->request_virt_sarray = request_sarray;
  info->mem->request_virt_barray = request_barray;
  info->mem->max_memory_to_use = (long)guard->memory_limit;
}
