#include "CQREncode.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <qrencode.h>

static struct {
  __typeof__(&QRcode_encodeString) encodeString;
  __typeof__(&QRcode_free) free;
} table;

static int load_result = -1;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
  table.encodeString = (__typeof__(table.encodeString))dlsym(library, "QRcode_encodeString");
  table.free = (__typeof__(table.free))dlsym(library, "QRcode_free");
  if (table.encodeString != NULL && table.free != NULL) load_result = 0;
}

int tote_qr_encode(const char *text, int level, unsigned char *modules) {
  pthread_once(&load_once, load);
  if (load_result != 0) return TOTE_QR_NO_LIBRARY;
  // With mode 8 and case kept the library itself mixes in the shorter modes where they pay.
  QRcode *code = table.encodeString(text, 0, (QRecLevel)level, QR_MODE_8, 1);
  if (code == NULL) return errno == ENOMEM ? TOTE_QR_NO_MEMORY : TOTE_QR_TOO_LONG;
  int width = code->width;
  for (int index = 0; index < width * width; index++) modules[index] = code->data[index] & 1;
  table.free(code);
  return width;
}
