#ifndef TOTE_CPCRE2_SHIM_H
#define TOTE_CPCRE2_SHIM_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

// Only `$regex` and MATCHES need PCRE2, so it is not linked: start-up would pay for it. The table is
// filled by tote_pcre2_load(), which the one Swift file that uses it calls once, before anything else.
struct tote_pcre2_functions {
  __typeof__(&pcre2_compile_8) compile;
  __typeof__(&pcre2_code_free_8) code_free;
  __typeof__(&pcre2_jit_compile_8) jit_compile;
  __typeof__(&pcre2_match_8) match;
  __typeof__(&pcre2_match_data_create_8) match_data_create;
  __typeof__(&pcre2_match_data_free_8) match_data_free;
  __typeof__(&pcre2_match_context_create_8) match_context_create;
  __typeof__(&pcre2_set_match_limit_8) set_match_limit;
  __typeof__(&pcre2_set_depth_limit_8) set_depth_limit;
  __typeof__(&pcre2_set_heap_limit_8) set_heap_limit;
  __typeof__(&pcre2_get_error_message_8) get_error_message;
};

// A function's own variable: Swift's importer emits no static variable of a header.
static inline struct tote_pcre2_functions *tote_pcre2_table(void) {
  static struct tote_pcre2_functions table;
  return &table;
}

// Opens the library and looks up every function; 0 when all are there.
static inline int tote_pcre2_load(void) {
  void *library = dlopen("libpcre2-8.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return -1;
#define TOTE_LOOK_UP(field, symbol) \
  *(void **)(&tote_pcre2_table()->field) = dlsym(library, symbol); \
  if (tote_pcre2_table()->field == NULL) return -1
  TOTE_LOOK_UP(compile, "pcre2_compile_8");
  TOTE_LOOK_UP(code_free, "pcre2_code_free_8");
  TOTE_LOOK_UP(jit_compile, "pcre2_jit_compile_8");
  TOTE_LOOK_UP(match, "pcre2_match_8");
  TOTE_LOOK_UP(match_data_create, "pcre2_match_data_create_8");
  TOTE_LOOK_UP(match_data_free, "pcre2_match_data_free_8");
  TOTE_LOOK_UP(match_context_create, "pcre2_match_context_create_8");
  TOTE_LOOK_UP(set_match_limit, "pcre2_set_match_limit_8");
  TOTE_LOOK_UP(set_depth_limit, "pcre2_set_depth_limit_8");
  TOTE_LOOK_UP(set_heap_limit, "pcre2_set_heap_limit_8");
  TOTE_LOOK_UP(get_error_message, "pcre2_get_error_message_8");
#undef TOTE_LOOK_UP
  return 0;
}

// Compiles a pattern; NULL with the error's number and byte offset when it is not valid. A pattern
// that the just-in-time compiler refuses is interpreted.
static inline void *tote_pcre2_compile(
    const uint8_t *pattern, size_t length, int *error, size_t *offset) {
  pcre2_code_8 *code = tote_pcre2_table()->compile(pattern, length, 0, error, offset, NULL);
  if (code != NULL) tote_pcre2_table()->jit_compile(code, PCRE2_JIT_COMPLETE);
  return code;
}

static inline void tote_pcre2_free(void *code) { tote_pcre2_table()->code_free((pcre2_code_8 *)code); }

// A match context with limits, so that a catastrophic pattern ends.
static inline void *tote_pcre2_limits(uint32_t matches, uint32_t depth, uint32_t heap_kib) {
  pcre2_match_context_8 *context = tote_pcre2_table()->match_context_create(NULL);
  if (context == NULL) return NULL;
  tote_pcre2_table()->set_match_limit(context, matches);
  tote_pcre2_table()->set_depth_limit(context, depth);
  tote_pcre2_table()->set_heap_limit(context, heap_kib);
  return context;
}

static inline void *tote_pcre2_match_data(void) {
  return tote_pcre2_table()->match_data_create(1, NULL);
}

static inline void tote_pcre2_match_data_free(void *data) {
  tote_pcre2_table()->match_data_free((pcre2_match_data_8 *)data);
}

// Whether the subject matches somewhere; a limit that is hit is no match.
static inline int tote_pcre2_matches(
    const void *code, const uint8_t *subject, size_t length, void *data, void *limits) {
  return tote_pcre2_table()->match(
             (const pcre2_code_8 *)code, subject, length, 0, 0, (pcre2_match_data_8 *)data,
             (pcre2_match_context_8 *)limits) >= 0;
}

static inline int tote_pcre2_message(int error, uint8_t *buffer, size_t length) {
  return tote_pcre2_table()->get_error_message(error, buffer, length);
}

#endif
