#include "CMicroHTTPD.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define TOTE_MHD_FUNCTIONS(X)                                                                      \
  X(MHD_start_daemon)                                                                              \
  X(MHD_stop_daemon)                                                                               \
  X(MHD_suspend_connection)                                                                        \
  X(MHD_resume_connection)                                                                         \
  X(MHD_get_connection_values_n)                                                                   \
  X(MHD_get_connection_info)                                                                       \
  X(MHD_create_response_from_buffer)                                                               \
  X(MHD_create_response_from_fd_at_offset64)                                                       \
  X(MHD_create_response_from_callback)                                                             \
  X(MHD_add_response_header)                                                                       \
  X(MHD_queue_response)                                                                            \
  X(MHD_destroy_response)

static struct {
#define TOTE_FIELD(name) __typeof__(&name) name;
  TOTE_MHD_FUNCTIONS(TOTE_FIELD)
#undef TOTE_FIELD
} table;

static int load_result = -1;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
#define TOTE_LOOK_UP(name)                                                                         \
  table.name = (__typeof__(table.name))dlsym(library, #name);                                      \
  if (table.name == NULL) return;
  TOTE_MHD_FUNCTIONS(TOTE_LOOK_UP)
#undef TOTE_LOOK_UP
  load_result = 0;
}

int tote_mhd_load(void) {
  pthread_once(&load_once, load);
  return load_result;
}

// The library decodes `%2F` and `%00` before a handler sees a path, which would let one document id
// look like another: it is told to leave everything as it came.
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
  (void)context;
  (void)connection;
  return strlen(text);
}

static void *begin(void *state, const char *target, struct MHD_Connection *connection) {
  const struct tote_mhd_options *options = state;
  return options->begin(options->context, target, connection);
}

static enum MHD_Result handle(
    void *state, struct MHD_Connection *connection, const char *url, const char *method,
    const char *version, const char *data, size_t *size, void **exchange) {
  const struct tote_mhd_options *options = state;
  (void)url;
  return options->handle(options->context, connection, method, version, data, size, exchange)
             ? MHD_YES
             : MHD_NO;
}

static void complete(
    void *state, struct MHD_Connection *connection, void **exchange,
    enum MHD_RequestTerminationCode reason) {
  const struct tote_mhd_options *options = state;
  options->complete(options->context, connection, exchange, (int)reason);
}

static void connected(
    void *state, struct MHD_Connection *connection, void **socket_context,
    enum MHD_ConnectionNotificationCode code) {
  const struct tote_mhd_options *options = state;
  options->connected(
      options->context, connection, socket_context, code == MHD_CONNECTION_NOTIFY_CLOSED);
}

struct MHD_Daemon *tote_mhd_start(const struct tote_mhd_options *given, void **state) {
  struct tote_mhd_options *options = malloc(sizeof *options);
  if (options == NULL) return NULL;
  *options = *given;
  struct MHD_OptionItem tls[] = {
      {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)options->key_pem},
      {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)options->certificate_pem},
      {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)options->priorities},
      {MHD_OPTION_END, 0, NULL}};
  struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
  unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
  if (options->key_pem != NULL) flags |= MHD_USE_TLS;
  // A pool of one is refused by the library: one thread is the default without the option.
  struct MHD_OptionItem pool[] = {
      {MHD_OPTION_THREAD_POOL_SIZE, options->threads, NULL}, {MHD_OPTION_END, 0, NULL}};
  struct MHD_Daemon *daemon = table.MHD_start_daemon(
      flags, 0, NULL, NULL, handle, options,
      MHD_OPTION_LISTEN_SOCKET, options->listen_socket,
      MHD_OPTION_CONNECTION_LIMIT, options->connection_limit,
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, options->address_limit,
      MHD_OPTION_CONNECTION_TIMEOUT, options->idle_seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->connection_memory,
      MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_URI_LOG_CALLBACK, begin, options,
      MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,
      MHD_OPTION_NOTIFY_COMPLETED, complete, options,
      MHD_OPTION_NOTIFY_CONNECTION, connected, options,
      MHD_OPTION_ARRAY, options->threads > 1 ? pool : none,
      MHD_OPTION_ARRAY, options->key_pem != NULL ? tls : none,
      MHD_OPTION_END);
  if (daemon == NULL) {
    free(options);
    return NULL;
  }
  *state = options;
  return daemon;
}

void tote_mhd_stop(struct MHD_Daemon *daemon, void *state) {
  table.MHD_stop_daemon(daemon);
  free(state);
}

void tote_mhd_suspend(struct MHD_Connection *connection) {
  table.MHD_suspend_connection(connection);
}

void tote_mhd_resume(struct MHD_Connection *connection) { table.MHD_resume_connection(connection); }

struct visitor {
  void *context;
  void (*visit)(void *, const char *, size_t, const char *, size_t);
};

static enum MHD_Result visit_header(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_size, const char *value,
    size_t value_size) {
  const struct visitor *visitor = context;
  (void)kind;
  visitor->visit(visitor->context, name, name_size, value, value_size);
  return MHD_YES;
}

void tote_mhd_headers(
    struct MHD_Connection *connection, void *context,
    void (*visit)(void *, const char *, size_t, const char *, size_t)) {
  struct visitor visitor = {context, visit};
  table.MHD_get_connection_values_n(connection, MHD_HEADER_KIND, visit_header, &visitor);
}

int tote_mhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      table.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}

const struct sockaddr *tote_mhd_address(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      table.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info == NULL ? NULL : info->client_addr;
}

void *tote_mhd_tls_session(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      table.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  return info == NULL ? NULL : info->tls_session;
}

void *tote_mhd_socket_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      table.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? NULL : info->socket_context;
}

struct MHD_Response *tote_mhd_response_bytes(const void *bytes, size_t size) {
  return table.MHD_create_response_from_buffer(size, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

struct MHD_Response *tote_mhd_response_file(int descriptor, uint64_t offset, uint64_t size) {
  return table.MHD_create_response_from_fd_at_offset64(size, descriptor, offset);
}

struct MHD_Response *tote_mhd_response_reader(
    int64_t size, size_t block, void *context,
    ssize_t (*read)(void *context, uint64_t position, char *buffer, size_t size),
    void (*release)(void *context)) {
  return table.MHD_create_response_from_callback(
      size < 0 ? MHD_SIZE_UNKNOWN : (uint64_t)size, block, read, context, release);
}

int tote_mhd_response_header(struct MHD_Response *response, const char *name, const char *value) {
  return table.MHD_add_response_header(response, name, value) == MHD_YES;
}

int tote_mhd_queue(
    struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
  return table.MHD_queue_response(connection, status, response) == MHD_YES;
}

void tote_mhd_destroy(struct MHD_Response *response) { table.MHD_destroy_response(response); }
