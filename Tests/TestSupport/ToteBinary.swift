import Glibc

/// The built `tote`, run as a person would run it but with everything around it pinned.
///
/// The program lies beside the test bundle; `TOTE_TEST_BINARY` names another one, such as a release
/// build. Time zone, language, width, clock and all folders are fixed, so that the same command
/// writes the same bytes on every machine.
///
/// ```swift
/// try withTote { tote in
///   try tote.run("store", "create", "notes")
///   let result = try tote.run("store", "list", "--json")
///   #expect(result.exitCode == 0)
/// }
/// ```
public struct ToteBinary: Sendable {
  /// The folder that all the program's folders lie in.
  public let directory: String
  /// What every run's environment starts from.
  public var environment: [String: String]

  /// Prepares runs in a folder.
  ///
  /// - Parameter directory: a private folder, such as ``withTemporaryDirectory(_:)`` gives.
  /// - Throws: ``SupportError/badSetup(_:)`` if the program is not built.
  public init(in directory: String) throws {
    self.directory = directory
    environment = [
      "PATH": "\(try Self.path().deletingLastComponent):/usr/local/bin:/usr/bin:/bin",
      "HOME": "\(directory)/home",
      "XDG_DATA_HOME": "\(directory)/data",
      "XDG_CONFIG_HOME": "\(directory)/config",
      "XDG_STATE_HOME": "\(directory)/state",
      "XDG_CACHE_HOME": "\(directory)/cache",
      "TMPDIR": "\(directory)/tmp",
      "TZ": "UTC0",
      "LC_ALL": "C.UTF-8",
      "COLUMNS": "80",
      "TERM": "xterm",
      "TOTE_NOW": "2030-01-01T12:00:00Z",
    ]
    for name in ["home", "data", "config", "state", "cache", "tmp"] {
      mkdir("\(directory)/\(name)", 0o700)
    }
  }

  /// Path of the folder that holds the stores.
  public var stores: String { "\(directory)/data/tote" }

  /// Finds the program that was built with the tests.
  ///
  /// - Returns: its absolute path.
  /// - Throws: ``SupportError/badSetup(_:)`` if there is none.
  public static func path() throws -> String {
    var candidates: [String] = []
    if let given = getenv("TOTE_TEST_BINARY") { candidates.append(String(cString: given)) }
    // The test runner is told the path of the bundle; run by itself, the bundle is the program.
    let words = CommandLine.arguments
    candidates += words.filter { $0.hasSuffix(".xctest") }.map {
      "\($0.deletingLastComponent)/tote"
    }
    for candidate in candidates {
      guard access(candidate, X_OK) == 0, let resolved = realpath(candidate, nil) else { continue }
      defer { free(resolved) }
      return String(cString: resolved)
    }
    throw SupportError.badSetup("no built 'tote' beside the test bundle: run 'swift build' first")
  }

  /// Describes a run, for tests that need more than ``run(_:input:environment:within:)``.
  ///
  /// - Parameter arguments: the words after `tote`.
  /// - Returns: a start with pipes on all streams, which the test may change.
  /// - Throws: ``SupportError/badSetup(_:)`` if the program is not built.
  public func launch(_ arguments: [String]) throws -> Launch {
    var launch = Launch(try Self.path(), arguments, environment: environment)
    launch.directory = directory
    return launch
  }

  /// Runs the program to its end.
  ///
  /// - Parameters:
  ///   - arguments: the words after `tote`.
  ///   - input: what it reads on standard input.
  ///   - extra: variables added to, or replacing, the pinned ones.
  ///   - limit: how long it may take.
  /// - Returns: how it ended and what it wrote.
  /// - Throws: ``SupportError`` if it cannot be started or does not end in time.
  @discardableResult
  public func run(
    _ arguments: [String], input: String = "", environment extra: [String: String] = [:],
    within limit: Duration = .seconds(60)
  ) throws -> ProcessResult {
    var launch = try launch(arguments)
    launch.input = Array(input.utf8)
    launch.environment.merge(extra) { $1 }
    return try ChildProcess(launch).finish(within: limit)
  }

  /// Runs the program to its end.
  ///
  /// - Parameters:
  ///   - arguments: the words after `tote`.
  ///   - input: what it reads on standard input.
  ///   - extra: variables added to, or replacing, the pinned ones.
  ///   - limit: how long it may take.
  /// - Returns: how it ended and what it wrote.
  /// - Throws: ``SupportError`` if it cannot be started or does not end in time.
  @discardableResult
  public func run(
    _ arguments: String..., input: String = "", environment extra: [String: String] = [:],
    within limit: Duration = .seconds(60)
  ) throws -> ProcessResult {
    try run(arguments, input: input, environment: extra, within: limit)
  }

  /// Runs a line of POSIX shell that may call `tote`.
  ///
  /// - Parameters:
  ///   - line: the line.
  ///   - input: what it reads on standard input.
  ///   - limit: how long it may take.
  /// - Returns: how the shell ended and what was written.
  /// - Throws: ``SupportError`` if it cannot be started or does not end in time.
  @discardableResult
  public func shell(
    _ line: String, input: String = "", within limit: Duration = .seconds(60)
  ) throws -> ProcessResult {
    var launch = Launch("/bin/sh", ["-c", line], environment: environment)
    launch.directory = directory
    launch.input = Array(input.utf8)
    return try ChildProcess(launch).finish(within: limit)
  }
}

/// Runs a test body with the built program and a private set of folders.
///
/// - Parameter body: the test.
/// - Returns: what the body returns.
/// - Throws: what the body throws, or ``SupportError`` if the program is not built.
public func withTote<Result>(_ body: (ToteBinary) throws -> Result) throws -> Result {
  try withTemporaryDirectory { try body(ToteBinary(in: $0)) }
}

extension String {
  /// The path of the folder that holds what this path names.
  var deletingLastComponent: String {
    guard let slash = lastIndex(of: "/") else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }
}
