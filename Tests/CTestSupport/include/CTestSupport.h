#ifndef TOTE_TEST_SUPPORT_H
#define TOTE_TEST_SUPPORT_H

#include <sys/types.h>

// What Swift's Glibc module cannot start a program with: it shows neither the GNU and XSI functions
// used here nor fork(2), whose child may only call what is safe in a signal handler.

/// What tote_test_start does with one standard stream instead of using a descriptor.
#define TOTE_TEST_CLOSED -1
#define TOTE_TEST_TERMINAL -2

/// Makes a pipe whose ends are closed in started programs. Returns 0 or errno.
int tote_test_pipe(int ends[2]);

/// Opens a new pseudo-terminal of a size in cells. Stores the controlling end and writes the path of
/// the other end to a buffer of at least 64 bytes. Returns 0 or errno.
int tote_test_open_terminal(unsigned short columns, unsigned short rows, int *master, char *path);

/// Starts a program in a new process group, or with a terminal in a new session, with all signals at
/// their defaults and none blocked. directory and terminal may be null. Returns 0 or errno.
int tote_test_start(const char *program, char *const arguments[], char *const environment[],
                    const char *directory, const char *terminal, const int streams[3], pid_t *pid);

#endif
