#ifndef TOTE_CKEYRING_H
#define TOTE_CKEYRING_H

// The kernel's keyring, by its three system calls: libkeyutils wraps nothing else of what is needed
// here, and Swift cannot import `syscall`, which is variadic. All return -1 with `errno` set.

#include <stddef.h>
#include <stdint.h>

// Adds a key of type "user" to the user's keyring, or replaces it, readable by the user's processes.
// Returns its serial number.
long tote_keyring_add(const char *description, const void *payload, size_t length, unsigned seconds);
// Finds a key of the user's keyring; ENOKEY when there is none.
long tote_keyring_find(const char *description);
// Reads a key; returns its length, which may be more than fits.
long tote_keyring_read(long serial, void *buffer, size_t length);
// Takes a key out of the keyring and makes it unusable for whoever has found it already.
long tote_keyring_remove(long serial);

#endif
