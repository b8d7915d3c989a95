#include "CKeyring.h"

#include <errno.h>
#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Who has the key in one of its keyrings may do everything, and so may the user's other processes: a
// server or a job that does not come from the login session that unlocked the store.
enum { PERMISSIONS = 0x3f3f0000 };

static long keyring(void) { return KEY_SPEC_USER_KEYRING; }

long tote_keyring_add(const char *description, const void *payload, size_t length, unsigned seconds) {
  long serial = syscall(SYS_add_key, "user", description, payload, length, keyring());
  if (serial < 0) return -1;
  if (syscall(SYS_keyctl, KEYCTL_SETPERM, serial, PERMISSIONS) < 0
      || syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, serial, seconds) < 0) {
    int code = errno;
    (void)tote_keyring_remove(serial);
    errno = code;
    return -1;
  }
  return serial;
}

long tote_keyring_find(const char *description) {
  return syscall(SYS_keyctl, KEYCTL_SEARCH, keyring(), "user", description, 0);
}

long tote_keyring_read(long serial, void *buffer, size_t length) {
  return syscall(SYS_keyctl, KEYCTL_READ, serial, buffer, length);
}

long tote_keyring_remove(long serial) {
  long result = syscall(SYS_keyctl, KEYCTL_REVOKE, serial);
  (void)syscall(SYS_keyctl, KEYCTL_UNLINK, serial, keyring());
  return result;
}
