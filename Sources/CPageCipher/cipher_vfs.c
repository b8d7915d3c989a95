// The file system of encrypted stores: it lies over SQLite's own and encrypts what passes.
//
// - Database: a page at its place, as SQLCipher writes it.
// - Rollback journal: records of page number, page, checksum. The page is encrypted as it would be in
//   the database. SQLite's head of the journal gets an authentication code behind it, in the rest of
//   its sector, and checksums are compared here, since SQLite takes a wrong one for the journal's end.
// - Write-ahead log: records of 24 bytes of head and a page, which is encrypted likewise, so that it
//   is copied into the database as it is. SQLite's checksums are over the plain page; so only this
//   file system recovers the log of an encrypted store. After a clean close there is none.
//
// SQLite must not map the files (so methods of version 2) and must keep what is temporary in memory:
// any other kind of file is refused.

#include "page_cipher.h"

#include <nettle/memops.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD_SIZE = LOG_RECORD_HEAD + TOTE_PAGE_SIZE };
enum { LOG_HEAD = 32 };
// SQLite's head of a journal, and where the code of it lies.
enum { JOURNAL_HEAD = 28, JOURNAL_MAC = 32, JOURNAL_HEAD_SECTOR = 512 };

static const uint8_t journal_magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};

typedef struct {
  sqlite3_file base;
  tote_page_cipher *cipher;
  sqlite3_file *inner;
  // Database: bytes that are known to be there, so that a gap before a new page is noticed.
  sqlite3_int64 known_size;
  // Journal: the last head written or read, and the page record read last.
  sqlite3_int64 head_offset;
  uint8_t head[JOURNAL_HEAD];
  int is_hot;
  sqlite3_int64 checksum_offset;
  uint32_t checksum;
  // Log: the record whose head was written last, and, while it is recovered, the next one.
  sqlite3_int64 record_offset;
  uint32_t record_page;
  sqlite3_int64 recovered_offset;
  uint8_t salts[8];
  uint32_t sums[2];
  int sums_are_big_endian;
} cipher_file;

static sqlite3_vfs cipher_vfs;
static const sqlite3_io_methods database_methods, journal_methods, log_methods;

static uint32_t big_endian(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint32_t little_endian(const uint8_t *bytes) {
  return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

static int is_zero(const uint8_t *bytes, size_t count) {
  for (size_t index = 0; index < count; index++) {
    if (bytes[index] != 0) return 0;
  }
  return 1;
}

static int inner_read(cipher_file *file, void *buffer, int count, sqlite3_int64 offset) {
  return file->inner->pMethods->xRead(file->inner, buffer, count, offset);
}

static int inner_write(cipher_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  return file->inner->pMethods->xWrite(file->inner, bytes, count, offset);
}

static int damaged(cipher_file *file, tote_damaged_file kind, uint32_t number, int code) {
  tote_page_cipher_note(file->cipher, kind, number);
  return code;
}

// MARK: Database

static int read_page(cipher_file *file, uint8_t *plain, uint32_t number) {
  uint8_t *sealed = file->cipher->sealed;
  int code = inner_read(file, sealed, TOTE_PAGE_SIZE, (sqlite3_int64)(number - 1) * TOTE_PAGE_SIZE);
  if (code == SQLITE_IOERR_SHORT_READ && is_zero(sealed, TOTE_PAGE_SIZE)) {
    memset(plain, 0, TOTE_PAGE_SIZE);
    return code;
  }
  if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) return code;
  if (tote_page_decrypt(file->cipher, number, sealed, plain) == 0) return SQLITE_OK;
  return damaged(
      file, TOTE_DAMAGE_DATABASE, number, number == 1 ? SQLITE_NOTADB : SQLITE_CORRUPT);
}

static int database_read(sqlite3_file *base, void *buffer, int count, sqlite3_int64 offset) {
  cipher_file *file = (cipher_file *)base;
  if (count == TOTE_PAGE_SIZE && offset % TOTE_PAGE_SIZE == 0) {
    return read_page(file, buffer, (uint32_t)(offset / TOTE_PAGE_SIZE) + 1);
  }
  // SQLite reads parts of page 1 only: its head, and the counter of changes.
  int start = (int)(offset % TOTE_PAGE_SIZE);
  if (start + count > TOTE_PAGE_SIZE) return SQLITE_IOERR_READ;
  uint8_t *plain = file->cipher->plain;
  int code = read_page(file, plain, (uint32_t)(offset / TOTE_PAGE_SIZE) + 1);
  if (code == SQLITE_NOTADB && offset == 0) {
    // The head is read before a hot journal is rolled back, which may yet restore this page. Who
    // goes on without one reads the page again, and is told then.
    uint32_t number;
    (void)tote_page_cipher_take_damage(file->cipher, &number);
    memset(buffer, 0, (size_t)count);
    return SQLITE_OK;
  }
  if (code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ) {
    memcpy(buffer, plain + start, (size_t)count);
  }
  return code;
}

static int write_page(cipher_file *file, const uint8_t *plain, sqlite3_int64 offset) {
  uint8_t *sealed = file->cipher->sealed;
  uint32_t number = (uint32_t)(offset / TOTE_PAGE_SIZE) + 1;
  if (tote_page_encrypt(file->cipher, number, plain, sealed) != 0) return SQLITE_IOERR_WRITE;
  return inner_write(file, sealed, TOTE_PAGE_SIZE, offset);
}

// Whether these bytes are the page of the log's record that was read last, still encrypted.
static int is_copied_page(cipher_file *file, const void *bytes, sqlite3_int64 offset) {
  const uint8_t *record = file->cipher->sealed;
  return big_endian(record) == offset / TOTE_PAGE_SIZE + 1
         && memcmp(record + LOG_RECORD_HEAD, bytes, TOTE_PAGE_SIZE) == 0;
}

static int database_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
  static const uint8_t zeros[TOTE_PAGE_SIZE];
  cipher_file *file = (cipher_file *)base;
  if (count != TOTE_PAGE_SIZE || offset % TOTE_PAGE_SIZE != 0) return SQLITE_IOERR_WRITE;
  int is_sealed = file->cipher->is_copying;
  if (is_sealed && !is_copied_page(file, bytes, offset)) return SQLITE_IOERR_WRITE;
  if (offset > file->known_size) {
    int code = file->inner->pMethods->xFileSize(file->inner, &file->known_size);
    if (code != SQLITE_OK) return code;
    file->known_size -= file->known_size % TOTE_PAGE_SIZE;
    // SQLite leaves out pages that are free already. SQLCipher's check wants every page to be one.
    for (; file->known_size < offset; file->known_size += TOTE_PAGE_SIZE) {
      code = write_page(file, zeros, file->known_size);
      if (code != SQLITE_OK) return code;
    }
  }
  int code = is_sealed ? inner_write(file, bytes, TOTE_PAGE_SIZE, offset)
                       : write_page(file, bytes, offset);
  if (code == SQLITE_OK && file->known_size < offset + TOTE_PAGE_SIZE) {
    file->known_size = offset + TOTE_PAGE_SIZE;
  }
  return code;
}

static int database_truncate(sqlite3_file *base, sqlite3_int64 size) {
  cipher_file *file = (cipher_file *)base;
  if (file->known_size > size) file->known_size = size;
  return file->inner->pMethods->xTruncate(file->inner, size);
}

// MARK: Rollback journal

// Records begin at multiples of 8 (a sector, then 4 + 4096 + 4 bytes each), so a page is never
// mistaken for a head.
static int is_journal_page(int count, sqlite3_int64 offset) {
  return count == TOTE_PAGE_SIZE && offset % 8 == 4;
}

static int is_journal_head(const uint8_t *bytes) {
  return memcmp(bytes, journal_magic, sizeof journal_magic) == 0;
}

// The code is bound to the place, so that heads cannot be exchanged.
static void journal_head_mac(cipher_file *file, sqlite3_int64 offset, uint8_t *mac) {
  uint8_t bytes[JOURNAL_HEAD + 8];
  memcpy(bytes, file->head, JOURNAL_HEAD);
  for (int index = 0; index < 8; index++) {
    bytes[JOURNAL_HEAD + index] = (uint8_t)((uint64_t)offset >> (8 * index));
  }
  tote_page_mac(file->cipher, bytes, sizeof bytes, mac);
}

static int write_journal_head(cipher_file *file, sqlite3_int64 offset) {
  uint8_t bytes[JOURNAL_MAC + TOTE_MAC_SIZE] = {0};
  memcpy(bytes, file->head, JOURNAL_HEAD);
  journal_head_mac(file, offset, bytes + JOURNAL_MAC);
  return inner_write(file, bytes, sizeof bytes, offset);
}

static int journal_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
  cipher_file *file = (cipher_file *)base;
  if (is_journal_page(count, offset)) {
    uint8_t prefix[4];
    int code = inner_read(file, prefix, sizeof prefix, offset - 4);
    if (code != SQLITE_OK) return code;
    uint8_t *sealed = file->cipher->sealed;
    if (tote_page_encrypt(file->cipher, big_endian(prefix), bytes, sealed) != 0) {
      return SQLITE_IOERR_WRITE;
    }
    return inner_write(file, sealed, TOTE_PAGE_SIZE, offset);
  }
  if (count > JOURNAL_HEAD_SECTOR && count != TOTE_PAGE_SIZE) return SQLITE_IOERR_WRITE;
  if (count >= JOURNAL_HEAD && offset % JOURNAL_HEAD_SECTOR == 0) {
    memcpy(file->head, bytes, JOURNAL_HEAD);
    file->head_offset = offset;
    file->is_hot = 0;
    int code = inner_write(file, bytes, count, offset);
    if (code != SQLITE_OK || count == JOURNAL_HEAD || !is_journal_head(file->head)) return code;
    return write_journal_head(file, offset);
  }
  if (count == 12 && offset == file->head_offset) {
    // The head becomes valid when all its records are on the disk: number and code in one write.
    memcpy(file->head, bytes, 12);
    return write_journal_head(file, offset);
  }
  // Page numbers, checksums, and single bytes that make a head invalid.
  return count <= 12 ? inner_write(file, bytes, count, offset) : SQLITE_IOERR_WRITE;
}

static int read_journal_page(cipher_file *file, uint8_t *plain, sqlite3_int64 offset) {
  uint8_t *sealed = file->cipher->sealed;
  int code = inner_read(file, sealed, 4 + TOTE_PAGE_SIZE, offset - 4);
  if (code != SQLITE_OK) return code;
  uint32_t number = big_endian(sealed);
  if (tote_page_decrypt(file->cipher, number, sealed + 4, plain) != 0) {
    return damaged(file, TOTE_DAMAGE_JOURNAL, number, SQLITE_CORRUPT);
  }
  // SQLite's own sum of a record: every 200th byte, from the end.
  file->checksum = big_endian(file->head + 12);
  for (int index = TOTE_PAGE_SIZE - 200; index > 0; index -= 200) file->checksum += plain[index];
  file->checksum_offset = offset + TOTE_PAGE_SIZE;
  return SQLITE_OK;
}

// SQLite takes a journal whose head is damaged for none at all, and would leave the database as the
// interrupted transaction left it.
static int check_journal_head(cipher_file *file, sqlite3_int64 offset) {
  uint8_t bytes[JOURNAL_MAC + TOTE_MAC_SIZE];
  int code = inner_read(file, bytes, sizeof bytes, offset);
  if (code != SQLITE_OK) return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
  if (!is_journal_head(bytes)) {
    int is_expected = offset == 0 || file->is_hot;
    if (!is_expected || is_zero(bytes, sizeof journal_magic)) return SQLITE_OK;
    return damaged(file, TOTE_DAMAGE_JOURNAL, 0, SQLITE_CORRUPT);
  }
  uint8_t mac[TOTE_MAC_SIZE];
  memcpy(file->head, bytes, JOURNAL_HEAD);
  file->head_offset = offset;
  journal_head_mac(file, offset, mac);
  if (!memeql_sec(mac, bytes + JOURNAL_MAC, sizeof mac)) {
    return damaged(file, TOTE_DAMAGE_JOURNAL, 0, SQLITE_CORRUPT);
  }
  if (offset == 0) file->is_hot = 1;
  return SQLITE_OK;
}

static int journal_read(sqlite3_file *base, void *buffer, int count, sqlite3_int64 offset) {
  cipher_file *file = (cipher_file *)base;
  if (is_journal_page(count, offset)) return read_journal_page(file, buffer, offset);
  int code = inner_read(file, buffer, count, offset);
  if (code != SQLITE_OK) return code;
  if (count == 8 && offset % JOURNAL_HEAD_SECTOR == 0) return check_journal_head(file, offset);
  if (count == 1 && offset == 0 && *(uint8_t *)buffer == 0) {
    uint8_t rest[7];
    code = inner_read(file, rest, sizeof rest, 1);
    if (code == SQLITE_OK && memcmp(rest, journal_magic + 1, sizeof rest) == 0) {
      return damaged(file, TOTE_DAMAGE_JOURNAL, 0, SQLITE_CORRUPT);
    }
  }
  if (count == 4 && offset == file->checksum_offset) {
    file->checksum_offset = -1;
    if (big_endian(buffer) != file->checksum) {
      return damaged(file, TOTE_DAMAGE_JOURNAL, 0, SQLITE_CORRUPT);
    }
  }
  return SQLITE_OK;
}

// MARK: Write-ahead log

static uint32_t record_number(sqlite3_int64 offset) {
  return (uint32_t)((offset - LOG_HEAD) / RECORD_SIZE) + 1;
}

// SQLite's checksum of a log, continued.
static void add_to_sums(cipher_file *file, const uint8_t *bytes, size_t count) {
  for (size_t index = 0; index < count; index += 8) {
    uint32_t first = file->sums_are_big_endian ? big_endian(bytes + index)
                                               : little_endian(bytes + index);
    uint32_t second = file->sums_are_big_endian ? big_endian(bytes + index + 4)
                                                : little_endian(bytes + index + 4);
    file->sums[0] += first + file->sums[1];
    file->sums[1] += second + file->sums[0];
  }
}

static int log_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
  cipher_file *file = (cipher_file *)base;
  file->recovered_offset = -1;
  if (offset == 0 && count == LOG_HEAD) return inner_write(file, bytes, count, offset);
  sqlite3_int64 place = (offset - LOG_HEAD) % RECORD_SIZE;
  if (offset < LOG_HEAD) return SQLITE_IOERR_WRITE;
  if (place == 0 && count == LOG_RECORD_HEAD) {
    file->record_offset = offset;
    file->record_page = big_endian(bytes);
    return inner_write(file, bytes, count, offset);
  }
  if (place != LOG_RECORD_HEAD || count != TOTE_PAGE_SIZE) return SQLITE_IOERR_WRITE;
  uint32_t number = file->record_page;
  if (file->record_offset != offset - LOG_RECORD_HEAD) {
    // The page of a record that this transaction wrote already.
    uint8_t head[4];
    int code = inner_read(file, head, sizeof head, offset - LOG_RECORD_HEAD);
    if (code != SQLITE_OK) return code;
    number = big_endian(head);
  }
  uint8_t *sealed = file->cipher->sealed;
  if (tote_page_encrypt(file->cipher, number, bytes, sealed) != 0) return SQLITE_IOERR_WRITE;
  return inner_write(file, sealed, TOTE_PAGE_SIZE, offset);
}

// The head is written at once and in one sector, so it is whole or damaged; SQLite would take a
// damaged one for an empty log.
static int read_log_head(cipher_file *file, uint8_t *head) {
  file->recovered_offset = -1;
  int code = inner_read(file, head, LOG_HEAD, 0);
  if (code != SQLITE_OK || is_zero(head, LOG_HEAD)) return code;
  uint32_t magic = big_endian(head);
  file->sums[0] = file->sums[1] = 0;
  file->sums_are_big_endian = magic & 1;
  add_to_sums(file, head, 24);
  if ((magic & ~1u) != 0x377f0682 || file->sums[0] != big_endian(head + 24)
      || file->sums[1] != big_endian(head + 28)) {
    return damaged(file, TOTE_DAMAGE_LOG, 0, SQLITE_CORRUPT);
  }
  memcpy(file->salts, head + 16, sizeof file->salts);
  file->recovered_offset = LOG_HEAD;
  return SQLITE_OK;
}

// Reads a record while the log is recovered, or while SQLite renews checksums.
//
// The first record that is not in order ends a log: that is how one looks whose last write was cut
// short. Whether it was that or damage cannot be told, so it is noted only.
static int read_record(cipher_file *file, uint8_t *record, sqlite3_int64 offset) {
  int code = inner_read(file, record, RECORD_SIZE, offset);
  if (code != SQLITE_OK) return code;
  uint8_t *sealed = file->cipher->sealed;
  memcpy(sealed, record + LOG_RECORD_HEAD, TOTE_PAGE_SIZE);
  uint32_t page = big_endian(record);
  if (offset != file->recovered_offset) {
    // SQLite renews its checksums after it wrote a page of this transaction once more. Who reads the
    // page itself has it checked.
    tote_page_decrypt_unchecked(file->cipher, page, sealed, record + LOG_RECORD_HEAD);
    return SQLITE_OK;
  }
  int is_whole = page != 0
                 && tote_page_decrypt(file->cipher, page, sealed, record + LOG_RECORD_HEAD) == 0;
  if (!is_whole) memset(record + LOG_RECORD_HEAD, 0, TOTE_PAGE_SIZE);
  int same_salts = (memcmp(record + 8, file->salts, 4) == 0)
                   + (memcmp(record + 12, file->salts + 4, 4) == 0);
  add_to_sums(file, record, 8);
  add_to_sums(file, record + LOG_RECORD_HEAD, TOTE_PAGE_SIZE);
  int is_next = is_whole && same_salts == 2 && file->sums[0] == big_endian(record + 16)
                && file->sums[1] == big_endian(record + 20);
  // Records of the log's last round have two other salts.
  if (!is_next && same_salts > 0 && file->cipher->cut_log == 0) {
    file->cipher->cut_log = record_number(offset);
  }
  file->recovered_offset = is_next ? offset + RECORD_SIZE : -1;
  return SQLITE_OK;
}

static int log_read(sqlite3_file *base, void *buffer, int count, sqlite3_int64 offset) {
  cipher_file *file = (cipher_file *)base;
  if (offset == 0 && count == LOG_HEAD) return read_log_head(file, buffer);
  if (offset < LOG_HEAD) return inner_read(file, buffer, count, offset);
  sqlite3_int64 place = (offset - LOG_HEAD) % RECORD_SIZE;
  if (place + count <= LOG_RECORD_HEAD) return inner_read(file, buffer, count, offset);
  if (place == 0 && count == RECORD_SIZE) return read_record(file, buffer, offset);
  if (place != LOG_RECORD_HEAD || count > TOTE_PAGE_SIZE) return SQLITE_IOERR_READ;
  uint8_t *sealed = file->cipher->sealed;
  int code = inner_read(file, sealed, RECORD_SIZE, offset - LOG_RECORD_HEAD);
  if (code != SQLITE_OK) return code;
  if (file->cipher->is_copying) {
    // The page goes to the database next, in the same form.
    memcpy(buffer, sealed + LOG_RECORD_HEAD, (size_t)count);
    return SQLITE_OK;
  }
  uint8_t *plain = count == TOTE_PAGE_SIZE ? buffer : file->cipher->plain;
  if (tote_page_decrypt(file->cipher, big_endian(sealed), sealed + LOG_RECORD_HEAD, plain) != 0) {
    return damaged(
        file, TOTE_DAMAGE_LOG, record_number(offset - LOG_RECORD_HEAD), SQLITE_CORRUPT);
  }
  if (plain != buffer) memcpy(buffer, plain, (size_t)count);
  return SQLITE_OK;
}

// MARK: What passes unchanged

#define INNER(base) (((cipher_file *)(base))->inner)

static int file_close(sqlite3_file *base) {
  cipher_file *file = (cipher_file *)base;
  int code = file->inner->pMethods->xClose(file->inner);
  tote_page_cipher_release(file->cipher);
  return code;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
  return INNER(base)->pMethods->xTruncate(INNER(base), size);
}

static int file_sync(sqlite3_file *base, int flags) {
  return INNER(base)->pMethods->xSync(INNER(base), flags);
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
  return INNER(base)->pMethods->xFileSize(INNER(base), size);
}

static int file_lock(sqlite3_file *base, int level) {
  return INNER(base)->pMethods->xLock(INNER(base), level);
}

static int file_unlock(sqlite3_file *base, int level) {
  return INNER(base)->pMethods->xUnlock(INNER(base), level);
}

static int file_check_lock(sqlite3_file *base, int *is_reserved) {
  return INNER(base)->pMethods->xCheckReservedLock(INNER(base), is_reserved);
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
  tote_page_cipher *cipher = ((cipher_file *)base)->cipher;
  // SQLite tells the database's file around its copying of pages, and does nothing else meanwhile.
  if (operation == SQLITE_FCNTL_CKPT_START) cipher->is_copying = 1;
  if (operation == SQLITE_FCNTL_CKPT_DONE) cipher->is_copying = 0;
  // A mapped file would be read past this file system.
  if (operation == SQLITE_FCNTL_MMAP_SIZE) return SQLITE_NOTFOUND;
  return INNER(base)->pMethods->xFileControl(INNER(base), operation, argument);
}

static int file_sector_size(sqlite3_file *base) {
  return INNER(base)->pMethods->xSectorSize(INNER(base));
}

static int file_characteristics(sqlite3_file *base) {
  // Of what the disk promises only this is passed on: the others let SQLite leave out a head's
  // second write, or write pages by a call of its own.
  return INNER(base)->pMethods->xDeviceCharacteristics(INNER(base))
         & (SQLITE_IOCAP_POWERSAFE_OVERWRITE | SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN
            | SQLITE_IOCAP_IMMUTABLE);
}

static int file_map_shared(sqlite3_file *base, int region, int size, int extend, void volatile **out) {
  return INNER(base)->pMethods->xShmMap(INNER(base), region, size, extend, out);
}

static int file_lock_shared(sqlite3_file *base, int offset, int count, int flags) {
  return INNER(base)->pMethods->xShmLock(INNER(base), offset, count, flags);
}

static void file_shared_barrier(sqlite3_file *base) {
  INNER(base)->pMethods->xShmBarrier(INNER(base));
}

static int file_unmap_shared(sqlite3_file *base, int delete) {
  return INNER(base)->pMethods->xShmUnmap(INNER(base), delete);
}

#define METHODS(read, write, truncate)                                                             \
  {                                                                                                \
    2, file_close, read, write, truncate, file_sync, file_size, file_lock, file_unlock,            \
        file_check_lock, file_control, file_sector_size, file_characteristics, file_map_shared,    \
        file_lock_shared, file_shared_barrier, file_unmap_shared, NULL, NULL                       \
  }

static const sqlite3_io_methods database_methods =
    METHODS(database_read, database_write, database_truncate);
static const sqlite3_io_methods journal_methods =
    METHODS(journal_read, journal_write, file_truncate);
static const sqlite3_io_methods log_methods = METHODS(log_read, log_write, file_truncate);

// MARK: The file system

static sqlite3_vfs *inner_vfs(sqlite3_vfs *vfs) { return vfs->pAppData; }

static int vfs_open(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *opened_flags) {
  cipher_file *file = (cipher_file *)base;
  memset(file, 0, sizeof *file);
  const sqlite3_io_methods *methods = flags & SQLITE_OPEN_MAIN_DB        ? &database_methods
                                      : flags & SQLITE_OPEN_MAIN_JOURNAL ? &journal_methods
                                      : flags & SQLITE_OPEN_WAL          ? &log_methods
                                                                         : NULL;
  if (methods == NULL || name == NULL) return SQLITE_CANTOPEN;
  file->cipher = tote_page_cipher_acquire(sqlite3_uri_int64(name, "tote_cipher", 0));
  if (file->cipher == NULL) return SQLITE_CANTOPEN;
  file->inner = (sqlite3_file *)(file + 1);
  file->head_offset = file->checksum_offset = file->record_offset = file->recovered_offset = -1;
  int code = inner_vfs(vfs)->xOpen(inner_vfs(vfs), name, file->inner, flags, opened_flags);
  if (code != SQLITE_OK) {
    // SQLite closes a file whose methods are set, also after an error.
    if (file->inner->pMethods != NULL) file->inner->pMethods->xClose(file->inner);
    tote_page_cipher_release(file->cipher);
    return code;
  }
  file->base.pMethods = methods;
  return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync) {
  return inner_vfs(vfs)->xDelete(inner_vfs(vfs), name, sync);
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  return inner_vfs(vfs)->xAccess(inner_vfs(vfs), name, flags, result);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int size, char *path) {
  return inner_vfs(vfs)->xFullPathname(inner_vfs(vfs), name, size, path);
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
  return inner_vfs(vfs)->xRandomness(inner_vfs(vfs), count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  return inner_vfs(vfs)->xSleep(inner_vfs(vfs), microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, sqlite3_int64 *time) {
  return inner_vfs(vfs)->xCurrentTimeInt64(inner_vfs(vfs), time);
}

static int vfs_old_time(sqlite3_vfs *vfs, double *time) {
  return inner_vfs(vfs)->xCurrentTime(inner_vfs(vfs), time);
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *text) {
  return inner_vfs(vfs)->xGetLastError(inner_vfs(vfs), size, text);
}

static pthread_once_t register_once = PTHREAD_ONCE_INIT;
static int register_result = SQLITE_ERROR;

static void register_vfs(void) {
  sqlite3_vfs *inner = sqlite3_vfs_find(NULL);
  if (inner == NULL) return;
  cipher_vfs = (sqlite3_vfs){
      .iVersion = 2,
      .szOsFile = (int)sizeof(cipher_file) + inner->szOsFile,
      .mxPathname = inner->mxPathname,
      .zName = "tote-cipher",
      .pAppData = inner,
      .xOpen = vfs_open,
      .xDelete = vfs_delete,
      .xAccess = vfs_access,
      .xFullPathname = vfs_full_path,
      .xRandomness = vfs_randomness,
      .xSleep = vfs_sleep,
      .xCurrentTime = vfs_old_time,
      .xGetLastError = vfs_last_error,
      .xCurrentTimeInt64 = vfs_time,
  };
  register_result = sqlite3_vfs_register(&cipher_vfs, 0);
}

const char *tote_page_vfs_register(void) {
  pthread_once(&register_once, register_vfs);
  return register_result == SQLITE_OK ? cipher_vfs.zName : NULL;
}

int tote_database_read(
    const char *path, void *buffer, int count, int64_t offset, int64_t *size) {
  sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
  if (vfs == NULL) return SQLITE_ERROR;
  sqlite3_file *file = calloc(1, (size_t)vfs->szOsFile);
  // A name with the parameters, here none, that SQLite's file systems look for behind it.
  const char *name = sqlite3_create_filename(path, "", "", 0, NULL);
  int code = SQLITE_NOMEM;
  if (file != NULL && name != NULL) {
    code = vfs->xOpen(vfs, name, file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, NULL);
    if (code == SQLITE_OK) {
      sqlite3_int64 found = 0;
      code = file->pMethods->xFileSize(file, &found);
      *size = found;
    }
    if (code == SQLITE_OK) {
      code = file->pMethods->xRead(file, buffer, count, offset);
      if (code == SQLITE_IOERR_SHORT_READ) code = SQLITE_OK;
    }
    if (file->pMethods != NULL) file->pMethods->xClose(file);
  }
  sqlite3_free_filename(name);
  free(file);
  return code;
}
