#ifndef TOTE_CICU_SHIM_H
#define TOTE_CICU_SHIM_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Only unicode collation needs ICU, so it is not linked: its data and libraries cost milliseconds at
// start-up. ICU's functions carry its major version in their names (`ucol_open_72`), and only a newer
// or older one may be installed where the program runs: so no header of ICU is included, the few
// functions needed are declared here, and the library is looked for by version.
struct tote_icu_functions {
  void *(*open)(const char *locale, int *status);
  void (*close)(void *collator);
  int (*compare_utf8)(
      const void *collator, const char *left, int32_t left_length, const char *right,
      int32_t right_length, int *status);
  int32_t (*sort_key)(
      const void *collator, const uint16_t *text, int32_t length, uint8_t *result,
      int32_t capacity);
};

// A function's own variable: Swift's importer emits no static variable of a header.
static inline struct tote_icu_functions *tote_icu_table(void) {
  static struct tote_icu_functions table;
  return &table;
}

static inline int tote_icu_look_up(void *library, int version, const char *name, void **field) {
  char symbol[64];
  snprintf(symbol, sizeof symbol, "%s_%d", name, version);
  *field = dlsym(library, symbol);
  return *field == NULL ? -1 : 0;
}

// Opens the newest installed ICU from 60 to 90; 0 when every function is there.
static inline int tote_icu_load(void) {
  for (int version = 90; version >= 60; version--) {
    char name[64];
    snprintf(name, sizeof name, "libicui18n.so.%d", version);
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) continue;
    if (tote_icu_look_up(library, version, "ucol_open", (void **)&tote_icu_table()->open) == 0
        && tote_icu_look_up(library, version, "ucol_close", (void **)&tote_icu_table()->close) == 0
        && tote_icu_look_up(
               library, version, "ucol_strcollUTF8", (void **)&tote_icu_table()->compare_utf8) == 0
        && tote_icu_look_up(
               library, version, "ucol_getSortKey", (void **)&tote_icu_table()->sort_key) == 0)
      return 0;
  }
  return -1;
}

// The collator of the root locale: the Unicode Collation Algorithm with CLDR's root table.
static inline void *tote_icu_open_root(void) {
  int status = 0;
  void *collator = tote_icu_table()->open("", &status);
  return status > 0 ? NULL : collator;
}

// -1, 0 or 1.
static inline int tote_icu_compare(
    const void *collator, const uint8_t *left, size_t left_length, const uint8_t *right,
    size_t right_length) {
  int status = 0;
  return tote_icu_table()->compare_utf8(
      collator, (const char *)left, (int32_t)left_length, (const char *)right,
      (int32_t)right_length, &status);
}

// Writes a sort key that ends in a zero byte, and returns the length it has (or needs).
static inline int32_t tote_icu_sort_key(
    const void *collator, const uint16_t *text, int32_t length, uint8_t *result,
    int32_t capacity) {
  return tote_icu_table()->sort_key(collator, text, length, result, capacity);
}

#endif
