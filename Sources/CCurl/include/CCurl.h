#ifndef TOTE_CCURL_H
#define TOTE_CCURL_H

#include <curl/curl.h>
#include <stddef.h>

// libcurl is not linked: loading it costs 7 ms that most commands would pay for nothing. Every
// function here goes through a table that `tote_curl_load` fills.

// Loads and initializes the library once; 0 when it is there, -1 when it is not installed.
int tote_curl_load(void);

CURL *tote_curl_easy_init(void);
void tote_curl_easy_reset(CURL *easy);
void tote_curl_easy_cleanup(CURL *easy);
int tote_curl_easy_pause(CURL *easy, int mask);
const char *tote_curl_easy_strerror(int code);
// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift does not import.
int tote_curl_set_long(CURL *easy, CURLoption option, long value);
int tote_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value);
int tote_curl_set_pointer(CURL *easy, CURLoption option, const void *value);
int tote_curl_set_transfer_callback(
    CURL *easy, CURLoption option, size_t (*callback)(char *, size_t, size_t, void *));
int tote_curl_set_seek_callback(CURL *easy, int (*callback)(void *, curl_off_t, int));
long tote_curl_get_long(CURL *easy, CURLINFO info);
void *tote_curl_get_pointer(CURL *easy, CURLINFO info);

CURLM *tote_curl_multi_init(void);
void tote_curl_multi_cleanup(CURLM *multi);
int tote_curl_multi_set_long(CURLM *multi, CURLMoption option, long value);
int tote_curl_multi_add(CURLM *multi, CURL *easy);
int tote_curl_multi_remove(CURLM *multi, CURL *easy);
int tote_curl_multi_perform(CURLM *multi, int *running);
int tote_curl_multi_poll(CURLM *multi, int milliseconds);
int tote_curl_multi_wakeup(CURLM *multi);
// The next transfer that has ended and its CURLcode, or NULL. (The message holds a union.)
CURL *tote_curl_multi_next_done(CURLM *multi, int *code);

// NULL when out of memory; the list stays as it was.
struct curl_slist *tote_curl_list_append(struct curl_slist *list, const char *text);
void tote_curl_list_free(struct curl_slist *list);

#endif
