#ifndef TOTE_CMICROHTTPD_H
#define TOTE_CMICROHTTPD_H

#include <microhttpd.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// libmicrohttpd is not linked: it and its GnuTLS cost milliseconds at start-up that most commands
// would pay for nothing. Every function here goes through a table that `tote_mhd_load` fills.

// Loads the library once; 0 when it is there, -1 when it is not installed.
int tote_mhd_load(void);

// What a daemon is started with. The callbacks replace libmicrohttpd's own, whose results are a
// closed enum in Swift; they return 1 to go on and 0 to close the connection.
struct tote_mhd_options {
  int listen_socket;          // bound, listening and non-blocking; the daemon does not close it
  unsigned int threads;
  unsigned int connection_limit;
  unsigned int address_limit;  // connections from one address
  unsigned int idle_seconds;
  size_t connection_memory;
  const char *key_pem;         // NULL: no TLS
  const char *certificate_pem;
  const char *priorities;
  void *context;
  // The request line is there: returns the exchange, which the other calls receive.
  void *(*begin)(void *context, const char *target, struct MHD_Connection *connection);
  int (*handle)(
      void *context, struct MHD_Connection *connection, const char *method, const char *version,
      const char *data, size_t *size, void **exchange);
  void (*complete)(void *context, struct MHD_Connection *connection, void **exchange, int reason);
  void (*connected)(
      void *context, struct MHD_Connection *connection, void **socket_context, int is_closed);
};

// Starts a daemon (the call is variadic, which Swift does not import); NULL when it cannot.
struct MHD_Daemon *tote_mhd_start(const struct tote_mhd_options *options, void **state);
// Stops the daemon, closes its listening socket and frees `state`. Blocks until its threads have
// ended.
void tote_mhd_stop(struct MHD_Daemon *daemon, void *state);

void tote_mhd_suspend(struct MHD_Connection *connection);
void tote_mhd_resume(struct MHD_Connection *connection);

// Calls `visit` for each header, in order.
void tote_mhd_headers(
    struct MHD_Connection *connection, void *context,
    void (*visit)(
        void *context, const char *name, size_t name_size, const char *value, size_t value_size));
int tote_mhd_socket(struct MHD_Connection *connection);
const struct sockaddr *tote_mhd_address(struct MHD_Connection *connection);
// The gnutls_session_t of a TLS connection, else NULL.
void *tote_mhd_tls_session(struct MHD_Connection *connection);
// What `connected` stored for this connection's socket.
void *tote_mhd_socket_context(struct MHD_Connection *connection);

// A response over a copy of the bytes.
struct MHD_Response *tote_mhd_response_bytes(const void *bytes, size_t size);
// A response over part of a file; the descriptor is closed with the response.
struct MHD_Response *tote_mhd_response_file(int descriptor, uint64_t offset, uint64_t size);
// A response that `read` fills; `size` -1 when unknown. `read` returns a count, 0 after suspending,
// -1 at the end and -2 to cut the connection.
struct MHD_Response *tote_mhd_response_reader(
    int64_t size, size_t block, void *context,
    ssize_t (*read)(void *context, uint64_t position, char *buffer, size_t size),
    void (*release)(void *context));
int tote_mhd_response_header(struct MHD_Response *response, const char *name, const char *value);
int tote_mhd_queue(
    struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response);
void tote_mhd_destroy(struct MHD_Response *response);

#endif
