#include "CGnuTLS.h"

#include <dlfcn.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define TOTE_TLS_FUNCTIONS(X)                                                                      \
  X(gnutls_strerror)                                                                               \
  X(gnutls_rnd)                                                                                    \
  X(gnutls_record_send)                                                                            \
  X(gnutls_x509_privkey_init)                                                                      \
  X(gnutls_x509_privkey_deinit)                                                                    \
  X(gnutls_x509_privkey_generate)                                                                  \
  X(gnutls_x509_privkey_import2)                                                                   \
  X(gnutls_x509_privkey_export2_pkcs8)                                                             \
  X(gnutls_x509_privkey_get_key_id)                                                                \
  X(gnutls_x509_crt_init)                                                                          \
  X(gnutls_x509_crt_deinit)                                                                        \
  X(gnutls_x509_crt_import)                                                                        \
  X(gnutls_x509_crt_export2)                                                                       \
  X(gnutls_x509_crt_set_version)                                                                   \
  X(gnutls_x509_crt_set_serial)                                                                    \
  X(gnutls_x509_crt_set_activation_time)                                                           \
  X(gnutls_x509_crt_set_expiration_time)                                                           \
  X(gnutls_x509_crt_get_expiration_time)                                                           \
  X(gnutls_x509_crt_set_dn_by_oid)                                                                 \
  X(gnutls_x509_crt_set_key)                                                                       \
  X(gnutls_x509_crt_set_subject_alt_name)                                                          \
  X(gnutls_x509_crt_set_basic_constraints)                                                         \
  X(gnutls_x509_crt_set_key_usage)                                                                 \
  X(gnutls_x509_crt_set_key_purpose_oid)                                                           \
  X(gnutls_x509_crt_sign2)                                                                         \
  X(gnutls_x509_crt_get_key_id)

static struct {
#define TOTE_FIELD(name) __typeof__(&name) name;
  TOTE_TLS_FUNCTIONS(TOTE_FIELD)
#undef TOTE_FIELD
  // A variable of the library that holds its `free`.
  gnutls_free_function *free;
} table;

static int load_result = -1;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libgnutls.so.30", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
#define TOTE_LOOK_UP(name)                                                                         \
  table.name = (__typeof__(table.name))dlsym(library, #name);                                      \
  if (table.name == NULL) return;
  TOTE_TLS_FUNCTIONS(TOTE_LOOK_UP)
#undef TOTE_LOOK_UP
  table.free = (gnutls_free_function *)dlsym(library, "gnutls_free");
  if (table.free == NULL) return;
  load_result = 0;
}

int tote_tls_load(void) {
  pthread_once(&load_once, load);
  return load_result;
}

// Moves a text of the library into memory of ours.
static char *take(gnutls_datum_t *datum) {
  char *text = malloc((size_t)datum->size + 1);
  if (text != NULL) {
    memcpy(text, datum->data, datum->size);
    text[datum->size] = 0;
  }
  (*table.free)(datum->data);
  datum->data = NULL;
  return text;
}

static int fill_certificate(
    gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key, const char *common_name,
    const struct tote_tls_name *names, size_t name_count, int64_t not_before, int64_t not_after) {
  unsigned char serial[16];
  int code = table.gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof serial);
  if (code < 0) return code;
  // A serial number is a positive integer (RFC 5280 §4.1.2.2).
  serial[0] = (serial[0] & 0x3f) | 0x40;
  if ((code = table.gnutls_x509_crt_set_version(certificate, 3)) < 0
      || (code = table.gnutls_x509_crt_set_serial(certificate, serial, sizeof serial)) < 0
      || (code = table.gnutls_x509_crt_set_activation_time(certificate, not_before)) < 0
      || (code = table.gnutls_x509_crt_set_expiration_time(certificate, not_after)) < 0
      || (code = table.gnutls_x509_crt_set_dn_by_oid(
              certificate, GNUTLS_OID_X520_COMMON_NAME, 0, common_name,
              (unsigned int)strlen(common_name))) < 0
      || (code = table.gnutls_x509_crt_set_key(certificate, key)) < 0
      || (code = table.gnutls_x509_crt_set_basic_constraints(certificate, 0, -1)) < 0
      || (code = table.gnutls_x509_crt_set_key_usage(
              certificate, GNUTLS_KEY_DIGITAL_SIGNATURE)) < 0
      || (code = table.gnutls_x509_crt_set_key_purpose_oid(
              certificate, GNUTLS_KP_TLS_WWW_SERVER, 0)) < 0)
    return code;
  for (size_t i = 0; i < name_count; i++) {
    code = table.gnutls_x509_crt_set_subject_alt_name(
        certificate, names[i].is_address ? GNUTLS_SAN_IPADDRESS : GNUTLS_SAN_DNSNAME,
        names[i].bytes, names[i].size, GNUTLS_FSAN_APPEND);
    if (code < 0) return code;
  }
  return table.gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0);
}

static int export_pair(
    gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key, char **key_pem,
    char **certificate_pem) {
  gnutls_datum_t datum = {NULL, 0};
  int code = table.gnutls_x509_privkey_export2_pkcs8(key, GNUTLS_X509_FMT_PEM, NULL, 0, &datum);
  if (code < 0) return code;
  *key_pem = take(&datum);
  code = table.gnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_PEM, &datum);
  if (code >= 0) *certificate_pem = take(&datum);
  if (code >= 0 && *key_pem != NULL && *certificate_pem != NULL) return 0;
  free(*key_pem);
  *key_pem = NULL;
  return code < 0 ? code : GNUTLS_E_MEMORY_ERROR;
}

int tote_tls_make_identity(
    const char *common_name, const struct tote_tls_name *names, size_t name_count,
    int64_t not_before, int64_t not_after, char **key_pem, char **certificate_pem) {
  gnutls_x509_privkey_t key = NULL;
  gnutls_x509_crt_t certificate = NULL;
  int code = table.gnutls_x509_privkey_init(&key);
  if (code < 0) return code;
  code = table.gnutls_x509_crt_init(&certificate);
  if (code < 0) {
    table.gnutls_x509_privkey_deinit(key);
    return code;
  }
  code = table.gnutls_x509_privkey_generate(
      key, GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
  if (code >= 0)
    code = fill_certificate(
        certificate, key, common_name, names, name_count, not_before, not_after);
  if (code >= 0) code = export_pair(certificate, key, key_pem, certificate_pem);
  table.gnutls_x509_crt_deinit(certificate);
  table.gnutls_x509_privkey_deinit(key);
  return code < 0 ? code : 0;
}

static int import_certificate(gnutls_x509_crt_t *certificate, const char *pem, size_t size) {
  gnutls_datum_t datum = {(unsigned char *)pem, (unsigned int)size};
  int code = table.gnutls_x509_crt_init(certificate);
  if (code < 0) return code;
  code = table.gnutls_x509_crt_import(*certificate, &datum, GNUTLS_X509_FMT_PEM);
  if (code < 0) table.gnutls_x509_crt_deinit(*certificate);
  return code;
}

int tote_tls_public_key_digest(const char *pem, size_t size, uint8_t digest[static 32]) {
  gnutls_x509_crt_t certificate = NULL;
  int code = import_certificate(&certificate, pem, size);
  if (code < 0) return code;
  size_t length = 32;
  code = table.gnutls_x509_crt_get_key_id(certificate, GNUTLS_KEYID_USE_SHA256, digest, &length);
  table.gnutls_x509_crt_deinit(certificate);
  return code < 0 ? code : 0;
}

int tote_tls_check_pair(
    const char *certificate_pem, size_t certificate_size, const char *key_pem, size_t key_size) {
  uint8_t expected[32], actual[32];
  int code = tote_tls_public_key_digest(certificate_pem, certificate_size, expected);
  if (code < 0) return code;
  gnutls_x509_privkey_t key = NULL;
  if ((code = table.gnutls_x509_privkey_init(&key)) < 0) return code;
  gnutls_datum_t datum = {(unsigned char *)key_pem, (unsigned int)key_size};
  code = table.gnutls_x509_privkey_import2(key, &datum, GNUTLS_X509_FMT_PEM, NULL, 0);
  size_t length = sizeof actual;
  if (code >= 0)
    code = table.gnutls_x509_privkey_get_key_id(key, GNUTLS_KEYID_USE_SHA256, actual, &length);
  table.gnutls_x509_privkey_deinit(key);
  if (code < 0) return code;
  return memcmp(expected, actual, sizeof actual) == 0 ? 0 : GNUTLS_E_CERTIFICATE_KEY_MISMATCH;
}

int64_t tote_tls_expiry(const char *pem, size_t size) {
  gnutls_x509_crt_t certificate = NULL;
  if (import_certificate(&certificate, pem, size) < 0) return -1;
  int64_t expiry = table.gnutls_x509_crt_get_expiration_time(certificate);
  table.gnutls_x509_crt_deinit(certificate);
  return expiry;
}

const char *tote_tls_error_text(int code) { return table.gnutls_strerror(code); }

void tote_tls_free(char *text) { free(text); }

ssize_t tote_tls_send(void *session, const void *bytes, size_t size) {
  return table.gnutls_record_send((gnutls_session_t)session, bytes, size);
}
