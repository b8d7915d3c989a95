#define _GNU_SOURCE
#include "CTestSupport.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

int tote_test_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno; }

int tote_test_open_terminal(unsigned short columns, unsigned short rows, int *master, char *path) {
  int descriptor = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  struct winsize size = {.ws_row = rows, .ws_col = columns};
  if (grantpt(descriptor) != 0 || unlockpt(descriptor) != 0 || ptsname_r(descriptor, path, 64) != 0 ||
      ioctl(descriptor, TIOCSWINSZ, &size) != 0) {
    int code = errno;
    close(descriptor);
    return code;
  }
  *master = descriptor;
  return 0;
}

// Runs in the child: ends in execve or in a report of errno. Only async-signal-safe calls.
static void become(const char *program, char *const arguments[], char *const environment[],
                   const char *directory, const char *terminal, const int streams[3], int report) {
  sigset_t none;
  sigemptyset(&none);
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, NULL);

  int terminal_descriptor = -1;
  if (terminal != NULL) {
    // The first terminal that a session leader opens becomes its controlling terminal.
    if (setsid() < 0 || (terminal_descriptor = open(terminal, O_RDWR | O_CLOEXEC)) < 0) goto failed;
  } else if (setpgid(0, 0) != 0) {
    goto failed;
  }
  if (directory != NULL && chdir(directory) != 0) goto failed;
  for (int number = 0; number < 3; number++) {
    int source = streams[number] == TOTE_TEST_TERMINAL ? terminal_descriptor : streams[number];
    if (source == TOTE_TEST_CLOSED) {
      close(number);
    } else if (dup2(source, number) < 0) {
      goto failed;
    }
  }
  execve(program, arguments, environment);

failed:;
  int code = errno;
  if (write(report, &code, sizeof code) < 0) _exit(126);
  _exit(127);
}

int tote_test_start(const char *program, char *const arguments[], char *const environment[],
                    const char *directory, const char *terminal, const int streams[3], pid_t *pid) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return errno;
  pid_t child = fork();
  if (child == 0) become(program, arguments, environment, directory, terminal, streams, report[1]);
  int code = child < 0 ? errno : 0;
  close(report[1]);
  if (child > 0 && read(report[0], &code, sizeof code) > 0) waitpid(child, NULL, 0);
  close(report[0]);
  *pid = child;
  return code;
}
