import Glibc

/// Starts editors and pagers.
///
/// A child gets default signal actions (an inherited "ignore SIGPIPE" breaks pagers), an empty
/// signal mask, and the environment without `TOTE_PASSPHRASE`.
struct ChildProcess: Sendable {
  /// How a child ended.
  enum Ending: Equatable, Sendable {
    case exited(Int32)
    case signalled(Int32)
  }

  let identifier: pid_t

  /// Starts `sh -c command`, with further arguments as `$1…`.
  ///
  /// - Parameters:
  ///   - command: a shell command line; it may hold arguments of its own.
  ///   - arguments: appended, each as one word.
  ///   - input: a descriptor that becomes the child's stdin, or `nil` to share ours.
  ///   - closing: descriptors the child must not keep.
  /// - Returns: the running child, or `nil` when none could be started.
  static func start(
    command: String, arguments: [String], input: Int32? = nil, closing: [Int32] = []
  ) -> ChildProcess? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
    for descriptor in closing { posix_spawn_file_actions_addclose(&actions, descriptor) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { sigaddset(&defaults, number) }
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))

    let script = arguments.isEmpty ? command : command + " \"$@\""
    let words = ["sh", "-c", script, command] + arguments
    return withCStrings(words) { argv in
      withCStrings(childEnvironment()) { environment in
        var identifier: pid_t = 0
        guard posix_spawn(&identifier, "/bin/sh", &actions, &attributes, argv, environment) == 0
        else { return nil }
        return ChildProcess(identifier: identifier)
      }
    }
  }

  /// Waits until the child has ended.
  func wait() -> Ending {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
  }

  private static func childEnvironment() -> [String] {
    var result: [String] = []
    var entry = environ
    while let variable = entry.pointee {
      let text = String(cString: variable)
      if !text.hasPrefix("TOTE_PASSPHRASE=") { result.append(text) }
      entry += 1
    }
    return result
  }
}

/// Calls `body` with a NULL-terminated array of C strings.
func withCStrings<R>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R
) -> R {
  let pointers = strings.map { strdup($0) }
  defer { for pointer in pointers { free(pointer) } }
  return body(pointers + [nil])
}
