import ArgumentParser
import Core

/// `tote perms diff`.
struct PermsDiff: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "show what applying a text of permissions would change",
    discussion: """
      Lines that would come begin with '+', lines that would go with '-'. As with diff(1) the exit \
      status is 0 when nothing would change and 1 when something would.
      """)

  static let examples = [
    Example("tote perms diff permissions.txt"),
    Example("tote perms export notes | tote perms diff -", "nothing"),
  ]

  static let outputKeys = PermissionChange.outputKeys.map { OutputKey($0.0, $0.1, $0.2) }
  static let exitCodes = ExitClass.documented(
    .failed, .invalidInput, .notFound, .unreachable, .inputOutput, .notPermitted)
  static let seeAlso = ["tote perms export", "tote perms apply"]

  @OptionGroup var global: GlobalOptions

  @Argument(
    help: ArgumentHelp("the text; '-' is standard input", valueName: "FILE"), completion: .file())
  var file: String

  func run(in context: Context) async throws {
    let changes = try await context.changes(of: file, force: true)
    try context.emit(changes: changes)
    if changes.contains(where: \.isNeeded) { throw ExitCode.failure }
  }
}

extension Context {
  /// Reads a text of permissions and works out what it changes, store by store.
  ///
  /// - Throws: `CommandError` for a mistake in the text, with its line; what a store says.
  func changes(of file: String, force: Bool) async throws -> [PermissionChange] {
    let bytes = file == "-" ? try streams.input.readAll(limit: 64 << 20) : try readFile(file)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError.invalidInput("'\(file)' is not UTF-8 text")
    }
    let sections: [PermissionText.Section]
    do {
      sections = try PermissionText(parsing: text).sections
    } catch {
      throw CommandError.invalidInput(
        "'\(file)', line \(error.line): \(error.reason)",
        details: [("line", .integer(Int64(error.line)))])
    }
    var changes: [PermissionChange] = []
    for section in sections {
      let target = try permissionTarget(section.store)
      do {
        let change = try await PermissionChange(target, force: force) {
          $0 = try section.applied(to: $0)
        }
        changes.append(change)
      } catch StoreError.badRequest(let reason) {
        throw CommandError.invalidInput(
          "'\(file)', line \(section.line): \(reason)",
          details: [("line", .integer(Int64(section.line))), ("store", .string(section.store))])
      }
    }
    return changes
  }
}
