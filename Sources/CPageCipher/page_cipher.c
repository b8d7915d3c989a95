#include "page_cipher.h"

#include <errno.h>
#include <nettle/cbc.h>
#include <nettle/memops.h>
#include <nettle/pbkdf2.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

// SQLCipher's design: the key of the codes is made of the page key with the salt changed by this.
enum { MAC_SALT_MASK = 0x3a, MAC_KEY_ROUNDS = 2 };
enum { CONTENT_SIZE = TOTE_PAGE_SIZE - TOTE_PAGE_RESERVED };

static const char plain_head[TOTE_PAGE_SALT_SIZE] = "SQLite format 3";

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static tote_page_cipher *registry = NULL;
static int64_t last_id = 0;

// MARK: Memory

void tote_wipe(void *bytes, size_t count) { explicit_bzero(bytes, count); }

int tote_random_bytes(void *bytes, size_t count) {
  uint8_t *position = bytes;
  while (count > 0) {
    ssize_t got = getrandom(position, count, 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      return -1;
    }
    position += got;
    count -= (size_t)got;
  }
  return 0;
}

void *tote_secret_allocate(size_t count) {
  void *bytes = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bytes == MAP_FAILED) return NULL;
  // Both are precautions: a process that may lock no memory still has to open its stores.
  (void)mlock(bytes, count);
  (void)madvise(bytes, count, MADV_DONTDUMP);
  return bytes;
}

void tote_secret_free(void *bytes, size_t count) {
  explicit_bzero(bytes, count);
  munmap(bytes, count);
}

// MARK: Keys

void tote_page_key_derive(
    const uint8_t *passphrase, size_t length, const uint8_t *salt, size_t salt_length,
    unsigned rounds, uint8_t *key) {
  struct hmac_sha512_ctx mac;
  hmac_sha512_set_key(&mac, length, passphrase);
  nettle_pbkdf2(
      &mac, (nettle_hash_update_func *)hmac_sha512_update,
      (nettle_hash_digest_func *)hmac_sha512_digest, SHA512_DIGEST_SIZE, rounds,
      salt_length, salt, TOTE_PAGE_KEY_SIZE, key);
  explicit_bzero(&mac, sizeof mac);
}

tote_page_cipher *tote_page_cipher_create(const uint8_t *key, const uint8_t *salt) {
  tote_page_cipher *cipher = tote_secret_allocate(sizeof *cipher);
  if (cipher == NULL) return NULL;
  uint8_t mac_salt[TOTE_PAGE_SALT_SIZE], mac_key[TOTE_PAGE_KEY_SIZE];
  for (int index = 0; index < TOTE_PAGE_SALT_SIZE; index++) {
    mac_salt[index] = salt[index] ^ MAC_SALT_MASK;
  }
  tote_page_key_derive(
      key, TOTE_PAGE_KEY_SIZE, mac_salt, sizeof mac_salt, MAC_KEY_ROUNDS, mac_key);
  hmac_sha512_set_key(&cipher->mac, sizeof mac_key, mac_key);
  explicit_bzero(mac_key, sizeof mac_key);
  aes256_set_encrypt_key(&cipher->encrypting, key);
  aes256_invert_key(&cipher->decrypting, &cipher->encrypting);
  memcpy(cipher->salt, salt, sizeof cipher->salt);
  cipher->uses = 1;
  pthread_mutex_lock(&registry_lock);
  cipher->id = ++last_id;
  cipher->next = registry;
  registry = cipher;
  pthread_mutex_unlock(&registry_lock);
  return cipher;
}

tote_page_cipher *tote_page_cipher_acquire(int64_t id) {
  pthread_mutex_lock(&registry_lock);
  tote_page_cipher *cipher = registry;
  while (cipher != NULL && cipher->id != id) cipher = cipher->next;
  if (cipher != NULL) cipher->uses++;
  pthread_mutex_unlock(&registry_lock);
  return cipher;
}

void tote_page_cipher_release(tote_page_cipher *cipher) {
  pthread_mutex_lock(&registry_lock);
  int is_last = --cipher->uses == 0;
  if (is_last) {
    tote_page_cipher **link = &registry;
    while (*link != cipher) link = &(*link)->next;
    *link = cipher->next;
  }
  pthread_mutex_unlock(&registry_lock);
  if (is_last) tote_secret_free(cipher, sizeof *cipher);
}

int64_t tote_page_cipher_id(const tote_page_cipher *cipher) { return cipher->id; }

// MARK: Damage

void tote_page_cipher_note(tote_page_cipher *cipher, tote_damaged_file file, uint32_t number) {
  if (cipher->damaged_file != TOTE_DAMAGE_NONE) return;
  cipher->damaged_file = file;
  cipher->damaged_number = number;
}

tote_damaged_file tote_page_cipher_take_damage(tote_page_cipher *cipher, uint32_t *number) {
  tote_damaged_file file = cipher->damaged_file;
  *number = cipher->damaged_number;
  cipher->damaged_file = TOTE_DAMAGE_NONE;
  return file;
}

uint32_t tote_page_cipher_cut_log(const tote_page_cipher *cipher) { return cipher->cut_log; }

// MARK: Pages

// A page's first bytes are the salt on page 1, and are neither encrypted nor authenticated.
static size_t content_start(uint32_t number) { return number == 1 ? TOTE_PAGE_SALT_SIZE : 0; }

static void page_mac(
    tote_page_cipher *cipher, uint32_t number, const uint8_t *page, uint8_t *mac) {
  size_t start = content_start(number);
  uint8_t suffix[4] = {
      (uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16), (uint8_t)(number >> 24)};
  hmac_sha512_update(&cipher->mac, TOTE_PAGE_SIZE - TOTE_MAC_SIZE - start, page + start);
  hmac_sha512_update(&cipher->mac, sizeof suffix, suffix);
  hmac_sha512_digest(&cipher->mac, TOTE_MAC_SIZE, mac);
}

void tote_page_mac(tote_page_cipher *cipher, const void *bytes, size_t count, uint8_t *mac) {
  hmac_sha512_update(&cipher->mac, count, bytes);
  hmac_sha512_digest(&cipher->mac, TOTE_MAC_SIZE, mac);
}

static int is_zero(const uint8_t *bytes, size_t count) {
  return bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0;
}

static int take_random(tote_page_cipher *cipher, uint8_t *bytes) {
  if (cipher->random_left < AES_BLOCK_SIZE) {
    if (tote_random_bytes(cipher->random, sizeof cipher->random) != 0) return -1;
    cipher->random_left = sizeof cipher->random;
  }
  cipher->random_left -= AES_BLOCK_SIZE;
  memcpy(bytes, cipher->random + cipher->random_left, AES_BLOCK_SIZE);
  return 0;
}

int tote_page_encrypt(
    tote_page_cipher *cipher, uint32_t number, const uint8_t *plain, uint8_t *page) {
  // The log's and the journal's checksums are over the whole page, and reading gives zeros here.
  if (!is_zero(plain + CONTENT_SIZE, TOTE_PAGE_RESERVED)) return -1;
  size_t start = content_start(number);
  uint8_t *vector = page + CONTENT_SIZE;
  uint8_t chain[AES_BLOCK_SIZE];
  if (take_random(cipher, vector) != 0) return -1;
  memcpy(chain, vector, sizeof chain);
  cbc_aes256_encrypt(
      &cipher->encrypting, chain, CONTENT_SIZE - start, page + start, plain + start);
  if (start != 0) memcpy(page, cipher->salt, start);
  page_mac(cipher, number, page, vector + AES_BLOCK_SIZE);
  return 0;
}

int tote_page_decrypt(
    tote_page_cipher *cipher, uint32_t number, const uint8_t *page, uint8_t *plain) {
  uint8_t mac[TOTE_MAC_SIZE];
  page_mac(cipher, number, page, mac);
  if (!memeql_sec(mac, page + TOTE_PAGE_SIZE - TOTE_MAC_SIZE, sizeof mac)) {
    // A page that was never written is a hole in the file. SQLCipher reads it as zeros too.
    if (number == 1 || !is_zero(page, TOTE_PAGE_SIZE)) return -1;
    memset(plain, 0, TOTE_PAGE_SIZE);
    return 0;
  }
  tote_page_decrypt_unchecked(cipher, number, page, plain);
  return 0;
}

void tote_page_decrypt_unchecked(
    tote_page_cipher *cipher, uint32_t number, const uint8_t *page, uint8_t *plain) {
  size_t start = content_start(number);
  uint8_t chain[AES_BLOCK_SIZE];
  memcpy(chain, page + CONTENT_SIZE, sizeof chain);
  cbc_decrypt(
      &cipher->decrypting, (nettle_cipher_func *)aes256_decrypt, AES_BLOCK_SIZE, chain,
      CONTENT_SIZE - start, plain + start, page + start);
  if (start != 0) memcpy(plain, plain_head, start);
  memset(plain + CONTENT_SIZE, 0, TOTE_PAGE_RESERVED);
}
