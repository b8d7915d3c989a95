#include "CCurl.h"

// The header's type-checking macros for C would call the functions by name.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#include <dlfcn.h>
#include <pthread.h>

#define TOTE_CURL_FUNCTIONS(X)                                                                     \
  X(curl_global_init)                                                                              \
  X(curl_easy_init)                                                                                \
  X(curl_easy_reset)                                                                               \
  X(curl_easy_cleanup)                                                                             \
  X(curl_easy_pause)                                                                               \
  X(curl_easy_strerror)                                                                            \
  X(curl_easy_setopt)                                                                              \
  X(curl_easy_getinfo)                                                                             \
  X(curl_multi_init)                                                                               \
  X(curl_multi_cleanup)                                                                            \
  X(curl_multi_setopt)                                                                             \
  X(curl_multi_add_handle)                                                                         \
  X(curl_multi_remove_handle)                                                                      \
  X(curl_multi_perform)                                                                            \
  X(curl_multi_poll)                                                                               \
  X(curl_multi_wakeup)                                                                             \
  X(curl_multi_info_read)                                                                          \
  X(curl_slist_append)                                                                             \
  X(curl_slist_free_all)

static struct {
#define TOTE_FIELD(name) __typeof__(&name) name;
  TOTE_CURL_FUNCTIONS(TOTE_FIELD)
#undef TOTE_FIELD
} table;

static int load_result = -1;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void) {
  // The GnuTLS flavour first: the server side has loaded GnuTLS already, or will.
  static const char *const names[] = {"libcurl-gnutls.so.4", "libcurl.so.4"};
  void *library = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && library == NULL; i++)
    library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
#define TOTE_LOOK_UP(name)                                                                         \
  table.name = (__typeof__(table.name))dlsym(library, #name);                                      \
  if (table.name == NULL) return;
  TOTE_CURL_FUNCTIONS(TOTE_LOOK_UP)
#undef TOTE_LOOK_UP
  if (table.curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK) load_result = 0;
}

int tote_curl_load(void) {
  pthread_once(&load_once, load);
  return load_result;
}

CURL *tote_curl_easy_init(void) { return table.curl_easy_init(); }
void tote_curl_easy_reset(CURL *easy) { table.curl_easy_reset(easy); }
void tote_curl_easy_cleanup(CURL *easy) { table.curl_easy_cleanup(easy); }
int tote_curl_easy_pause(CURL *easy, int mask) { return table.curl_easy_pause(easy, mask); }
const char *tote_curl_easy_strerror(int code) { return table.curl_easy_strerror(code); }

int tote_curl_set_long(CURL *easy, CURLoption option, long value) {
  return table.curl_easy_setopt(easy, option, value);
}

int tote_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return table.curl_easy_setopt(easy, option, value);
}

int tote_curl_set_pointer(CURL *easy, CURLoption option, const void *value) {
  return table.curl_easy_setopt(easy, option, value);
}

int tote_curl_set_transfer_callback(
    CURL *easy, CURLoption option, size_t (*callback)(char *, size_t, size_t, void *)) {
  return table.curl_easy_setopt(easy, option, callback);
}

int tote_curl_set_seek_callback(CURL *easy, int (*callback)(void *, curl_off_t, int)) {
  return table.curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, callback);
}

long tote_curl_get_long(CURL *easy, CURLINFO info) {
  long value = 0;
  table.curl_easy_getinfo(easy, info, &value);
  return value;
}

void *tote_curl_get_pointer(CURL *easy, CURLINFO info) {
  void *value = NULL;
  table.curl_easy_getinfo(easy, info, &value);
  return value;
}

CURLM *tote_curl_multi_init(void) { return table.curl_multi_init(); }
void tote_curl_multi_cleanup(CURLM *multi) { table.curl_multi_cleanup(multi); }

int tote_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return table.curl_multi_setopt(multi, option, value);
}

int tote_curl_multi_add(CURLM *multi, CURL *easy) {
  return table.curl_multi_add_handle(multi, easy);
}

int tote_curl_multi_remove(CURLM *multi, CURL *easy) {
  return table.curl_multi_remove_handle(multi, easy);
}

int tote_curl_multi_perform(CURLM *multi, int *running) {
  return table.curl_multi_perform(multi, running);
}

int tote_curl_multi_poll(CURLM *multi, int milliseconds) {
  return table.curl_multi_poll(multi, NULL, 0, milliseconds, NULL);
}

int tote_curl_multi_wakeup(CURLM *multi) { return table.curl_multi_wakeup(multi); }

CURL *tote_curl_multi_next_done(CURLM *multi, int *code) {
  int left = 0;
  CURLMsg *message;
  while ((message = table.curl_multi_info_read(multi, &left)) != NULL) {
    if (message->msg != CURLMSG_DONE) continue;
    *code = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}

struct curl_slist *tote_curl_list_append(struct curl_slist *list, const char *text) {
  return table.curl_slist_append(list, text);
}

void tote_curl_list_free(struct curl_slist *list) { table.curl_slist_free_all(list); }
