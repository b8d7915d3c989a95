#ifndef TOTE_PAGE_CIPHER_H
#define TOTE_PAGE_CIPHER_H

// What the cipher and the file system share.

#include "CPageCipher.h"

#include <nettle/aes.h>
#include <nettle/hmac.h>

// A record of a write-ahead log: 24 bytes of head, then the page.
enum { LOG_RECORD_HEAD = 24 };

struct tote_page_cipher {
  struct aes256_ctx encrypting;
  struct aes256_ctx decrypting;
  // Keyed once; nettle returns to the keyed state with every digest.
  struct hmac_sha512_ctx mac;
  uint8_t salt[TOTE_PAGE_SALT_SIZE];
  int64_t id;
  int uses;
  tote_damaged_file damaged_file;
  uint32_t damaged_number;
  uint32_t cut_log;
  // Whether SQLite is copying pages from the log into the database.
  int is_copying;
  struct tote_page_cipher *next;
  // Randomness for initialisation vectors, fetched in pieces: one system call a page would show.
  size_t random_left;
  uint8_t random[1024];
  uint8_t sealed[LOG_RECORD_HEAD + TOTE_PAGE_SIZE];
  uint8_t plain[TOTE_PAGE_SIZE];
};

enum { TOTE_MAC_SIZE = SHA512_DIGEST_SIZE };

// The cipher with an id, its use counted; NULL when there is none.
tote_page_cipher *tote_page_cipher_acquire(int64_t id);
// Decrypts a page without checking it.
void tote_page_decrypt_unchecked(
    tote_page_cipher *cipher, uint32_t number, const uint8_t *page, uint8_t *plain);
// Remembers the first damage.
void tote_page_cipher_note(tote_page_cipher *cipher, tote_damaged_file file, uint32_t number);
// The authentication code of a few bytes that are no page, such as the head of a journal.
void tote_page_mac(tote_page_cipher *cipher, const void *bytes, size_t count, uint8_t *mac);

#endif
