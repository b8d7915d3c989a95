#ifndef TOTE_CPAGECIPHER_H
#define TOTE_CPAGECIPHER_H

// Pages of a database in the format of SQLCipher 4, and the SQLite file system that reads and
// writes them. In C, because SQLite lays a file's methods and state out in memory of its own, calls
// back for every page, and takes errors as numbers: in Swift each of these is an unsafe pointer too,
// only slower. The cipher, the hash and the key derivation are nettle's.

#include <stddef.h>
#include <stdint.h>

enum {
  TOTE_PAGE_SIZE = 4096,
  // At the end of each page: 16 bytes of initialisation vector, 64 of authentication code.
  TOTE_PAGE_RESERVED = 80,
  TOTE_PAGE_SALT_SIZE = 16,
  TOTE_PAGE_KEY_SIZE = 32,
};

// The keys of one connection. Use from one thread at a time.
typedef struct tote_page_cipher tote_page_cipher;

// Where a page did not match its authentication code.
typedef enum {
  TOTE_DAMAGE_NONE = 0,
  TOTE_DAMAGE_DATABASE = 1,
  TOTE_DAMAGE_JOURNAL = 2,
  TOTE_DAMAGE_LOG = 3,
} tote_damaged_file;

// PBKDF2-HMAC-SHA512, with a key of TOTE_PAGE_KEY_SIZE bytes.
void tote_page_key_derive(
    const uint8_t *passphrase, size_t length, const uint8_t *salt, size_t salt_length,
    unsigned rounds, uint8_t *key);

// Makes the keys of a connection, in memory that is not swapped or dumped where the system allows.
// NULL without memory.
tote_page_cipher *tote_page_cipher_create(const uint8_t *key, const uint8_t *salt);
// Wipes and frees the keys once no file uses them.
void tote_page_cipher_release(tote_page_cipher *cipher);
// What the parameter `tote_cipher` of a database's URI says.
int64_t tote_page_cipher_id(const tote_page_cipher *cipher);

// Encrypts a page; its reserved bytes must be zeros. 0, or -1.
int tote_page_encrypt(
    tote_page_cipher *cipher, uint32_t number, const uint8_t *plain, uint8_t *page);
// Checks and decrypts a page; its reserved bytes become zeros. 0, or -1 when it is damaged.
int tote_page_decrypt(
    tote_page_cipher *cipher, uint32_t number, const uint8_t *page, uint8_t *plain);

// The first damage met since the last call, and the number of its page or, in a log, its frame.
tote_damaged_file tote_page_cipher_take_damage(tote_page_cipher *cipher, uint32_t *number);
// The number of the log's record that ended its recovery although it looks like one of this log; 0
// when the log ended as logs do.
uint32_t tote_page_cipher_cut_log(const tote_page_cipher *cipher);

// Registers the file system and returns its name; NULL when SQLite refuses.
const char *tote_page_vfs_register(void);

// Reads bytes of a database's file as they are, and the file's size, by SQLite's own file system: a
// descriptor of ours would, when closed, drop the locks of every other connection of this process.
// An SQLite result code; what lies behind the end reads as zeros.
int tote_database_read(
    const char *path, void *buffer, int count, int64_t offset, int64_t *size);

// Fills memory from the system's source of randomness. 0, or -1.
int tote_random_bytes(void *bytes, size_t count);
// Overwrites memory in a way no compiler removes.
void tote_wipe(void *bytes, size_t count);
// Memory that is kept out of swap and core files where the system allows; zeros. NULL without memory.
void *tote_secret_allocate(size_t count);
// Wipes and returns it.
void tote_secret_free(void *bytes, size_t count);

#endif
