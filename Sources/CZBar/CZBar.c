#include "CZBar.h"

#include <dlfcn.h>
#include <pthread.h>
#include <zbar.h>

#define TOTE_ZBAR_FUNCTIONS(X)                                                                     \
  X(zbar_image_scanner_create)                                                                     \
  X(zbar_image_scanner_destroy)                                                                    \
  X(zbar_image_scanner_set_config)                                                                 \
  X(zbar_image_create)                                                                             \
  X(zbar_image_destroy)                                                                            \
  X(zbar_image_set_format)                                                                         \
  X(zbar_image_set_size)                                                                           \
  X(zbar_image_set_data)                                                                           \
  X(zbar_image_first_symbol)                                                                       \
  X(zbar_scan_image)                                                                               \
  X(zbar_symbol_next)                                                                              \
  X(zbar_symbol_get_type)                                                                          \
  X(zbar_symbol_get_data)                                                                          \
  X(zbar_symbol_get_data_length)

static struct {
#define TOTE_FIELD(name) __typeof__(&name) name;
  TOTE_ZBAR_FUNCTIONS(TOTE_FIELD)
#undef TOTE_FIELD
} table;

static int load_result = -1;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libzbar.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
#define TOTE_LOOK_UP(name)                                                                         \
  table.name = (__typeof__(table.name))dlsym(library, #name);                                      \
  if (table.name == NULL) return;
  TOTE_ZBAR_FUNCTIONS(TOTE_LOOK_UP)
#undef TOTE_LOOK_UP
  load_result = 0;
}

// The code of the format of grey values, "Y800", lowest byte first.
#define FORMAT_GREY ((unsigned long)'Y' | '8' << 8 | '0' << 16 | '0' << 24)

int tote_zbar_scan(
    const unsigned char *pixels, unsigned int width, unsigned int height, tote_zbar_take take,
    void *context) {
  pthread_once(&load_once, load);
  if (load_result != 0) return TOTE_ZBAR_NO_LIBRARY;
  zbar_image_scanner_t *scanner = table.zbar_image_scanner_create();
  if (scanner == NULL) return TOTE_ZBAR_NO_MEMORY;
  zbar_image_t *image = table.zbar_image_create();
  if (image == NULL) {
    table.zbar_image_scanner_destroy(scanner);
    return TOTE_ZBAR_NO_MEMORY;
  }
  table.zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_ENABLE, 0);
  table.zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_ENABLE, 1);
  // Codes on dark terminals are often light on dark.
  table.zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_TEST_INVERTED, 1);
  table.zbar_image_set_format(image, FORMAT_GREY);
  table.zbar_image_set_size(image, width, height);
  // The pixels stay the caller's: no clean-up function.
  table.zbar_image_set_data(image, pixels, (unsigned long)width * height, NULL);
  int found = 0;
  if (table.zbar_scan_image(scanner, image) > 0) {
    for (const zbar_symbol_t *symbol = table.zbar_image_first_symbol(image); symbol != NULL;
         symbol = table.zbar_symbol_next(symbol)) {
      if (table.zbar_symbol_get_type(symbol) != ZBAR_QRCODE) continue;
      take(context, table.zbar_symbol_get_data(symbol), table.zbar_symbol_get_data_length(symbol));
      found++;
    }
  }
  table.zbar_image_destroy(image);
  table.zbar_image_scanner_destroy(scanner);
  return found;
}
