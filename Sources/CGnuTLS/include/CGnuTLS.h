#ifndef TOTE_CGNUTLS_H
#define TOTE_CGNUTLS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// GnuTLS is not linked: it brings fourteen libraries. Every function here goes through a table that
// `tote_tls_load` fills.

// Loads the library once; 0 when it is there, -1 when it is not installed.
int tote_tls_load(void);

// One name of a certificate: a DNS name or the bytes of an address (4 or 16).
struct tote_tls_name {
  const void *bytes;
  unsigned int size;
  int is_address;
};

// Makes a P-256 key and a certificate signed with it. The times are seconds since 1970. Both texts
// are NUL-terminated and go back to `tote_tls_free`. 0, or GnuTLS's negative error number.
int tote_tls_make_identity(
    const char *common_name, const struct tote_tls_name *names, size_t name_count,
    int64_t not_before, int64_t not_after, char **key_pem, char **certificate_pem);

// SHA-256 of the public key (SubjectPublicKeyInfo, DER) of the first certificate of a PEM text.
// 0, or GnuTLS's negative error number.
int tote_tls_public_key_digest(
    const char *certificate_pem, size_t size, uint8_t digest[static 32]);

// 0 when the key is that of the first certificate, else GnuTLS's negative error number.
int tote_tls_check_pair(
    const char *certificate_pem, size_t certificate_size, const char *key_pem, size_t key_size);

// The end of the first certificate's validity, in seconds since 1970; negative on errors.
int64_t tote_tls_expiry(const char *certificate_pem, size_t size);

const char *tote_tls_error_text(int code);
void tote_tls_free(char *text);

// Sends without blocking on libmicrohttpd's session; the count, or a negative error number.
ssize_t tote_tls_send(void *session, const void *bytes, size_t size);

#endif
