import ArgumentParser
import Core
import Foundation
import TestSupport
import Testing

@testable import tote

/// Rules every command keeps, checked over the whole tree.
struct CommandTreeTests {
  static let nodes = CommandTree(ToteRoot.self).nodes
  static let leaves = nodes.filter(\.isLeaf).map { Command($0.description) }

  /// A command whose failures are told by its name alone.
  struct Command: Sendable, CustomStringConvertible, CustomTestStringConvertible {
    let value: CommandDescription
    init(_ value: CommandDescription) { self.value = value }
    var description: String { value.fullName }
    var testDescription: String { value.fullName }
  }

  @Test("every leaf has an abstract, an example, exit statuses and no period", arguments: leaves)
  func documented(_ argument: Command) {
    let command = argument.value
    #expect(!command.abstract.isEmpty)
    #expect(command.abstract.last != ".")
    #expect(command.abstract.first?.isUppercase != true)
    #expect(!command.examples.isEmpty, "\(command.fullName) has no example")
    #expect(!command.exitCodes.isEmpty, "\(command.fullName) names no exit status")
    for argument in command.arguments where argument.isVisible {
      #expect(!argument.abstract.isEmpty, "\(command.fullName) \(argument.label)")
      #expect(argument.abstract.last != ".", "\(command.fullName) \(argument.label)")
    }
  }

  /// Texts name commands that arrive with the store's verbs.
  static let isComplete = ["tote store find", "tote store export"].allSatisfy { name in
    nodes.contains { $0.description.fullName == name }
  }

  @Test(
    "every example is a line that can be parsed", .enabled(if: isComplete),
    arguments: nodes.map { Command($0.description) })
  func examples(_ argument: Command) throws {
    let command = argument.value
    for example in command.examples {
      // Only the part that starts tote; what feeds it or reads it is the shell's.
      for part in example.commandLine.components(separatedBy: " | ") where part.hasPrefix("tote ") {
        var words = try shellWords(part.components(separatedBy: " > ")[0])
        words.removeFirst()
        let result = ToteRoot.parseCommandLine(words)
        if case .failure(let failure) = result.outcome {
          Issue.record("\(example.commandLine): \(failure.message)")
        }
      }
    }
  }

  @Test(
    "help fits its terminal", arguments: nodes.map { $0.commands }.map(Commands.init), [80, 40])
  func helpWidth(commands: Commands, width: Int) {
    for detail in [HelpDetail.brief, .full] {
      let text = HelpRequest(commands: commands.types, detail: detail)
        .rendered(HelpStyle(width: width))
      for line in text.split(separator: "\n") where !line.hasPrefix("    ") {
        let isUnbreakable = !line.trimmingCharacters(in: .whitespaces).contains(" ")
        if TextWidth.cells(of: line) > width, !isUnbreakable, !line.contains("tote ") {
          Issue.record("wider than \(width): \(line)")
        }
      }
    }
  }

  @Test(
    "references name commands and pages that exist", .enabled(if: isComplete), arguments: leaves)
  func references(_ argument: Command) {
    let command = argument.value
    let known = Set(Self.nodes.map(\.description.fullName)).union(["tote-json(5)", "tote(1)"])
    for reference in command.seeAlso {
      #expect(known.contains(reference), "\(command.fullName) refers to '\(reference)'")
    }
  }

  @Test("options have names of one form, and none differs from another only by case")
  func names() {
    for node in Self.nodes {
      let description = node.description
      let names = (description.arguments + description.inheritedArguments).flatMap(\.names)
      #expect(Set(names).count == names.count, "\(description.fullName): \(names)")
      let longNames = names.filter { $0.hasPrefix("--") }
      #expect(Set(longNames.map { $0.lowercased() }).count == longNames.count)
      for name in longNames {
        let allowed = name.dropFirst(2).allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }
        #expect(allowed, "\(name)")
      }
    }
  }

  /// A path of commands, so that a test can be about one.
  struct Commands: Sendable, CustomStringConvertible, CustomTestStringConvertible {
    let types: [any ParsableCommand.Type]
    var description: String { testDescription }
    var testDescription: String { types.map { "\($0)" }.joined(separator: " ") }
  }

  /// Splits a line as a shell would, for quotes and backslashes only.
  private func shellWords(_ line: String) throws -> [String] {
    let launch = Launch(
      "/bin/sh", ["-c", "for word in \(line.dropFirst(0)); do printf '%s\\n' \"$word\"; done"],
      environment: ["PATH": "/usr/bin:/bin", "HOME": "/nowhere"])
    let result = try ChildProcess(launch).finish()
    #expect(result.exitCode == 0, "\(line): \(result.errors)")
    return result.lines
  }
}

/// Rules the sources keep.
struct SourceTests {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func sources(_ folder: String) throws -> [(path: String, text: String)] {
    let base = root.appendingPathComponent(folder)
    let files = FileManager.default.enumerator(at: base, includingPropertiesForKeys: nil)
    var result: [(String, String)] = []
    while let url = files?.nextObject() as? URL {
      guard url.pathExtension == "swift" else { continue }
      result.append((url.path, try String(contentsOf: url, encoding: .utf8)))
    }
    return result
  }

  @Test("only the terminal's writer writes: print and FileHandle lose data or crash")
  func writers() throws {
    for file in try Self.sources("Sources") {
      for (number, line) in file.text.components(separatedBy: "\n").enumerated() {
        let code = line.trimmingCharacters(in: .whitespaces)
        if code.hasPrefix("//") { continue }
        let place = "\(file.path):\(number + 1)"
        #expect(!code.hasPrefix("print("), "\(place)")
        #expect(!code.contains("FileHandle"), "\(place)")
        #expect(
          !code.hasPrefix("import Foundation") || code == "import FoundationEssentials", "\(place)")
      }
    }
  }

  @Test("every variable read is in the manual, and every variable of the manual is read somewhere")
  func environment() throws {
    let documented = Set(EnvironmentGuide.variables.map(\.name))
    var read: Set<String> = []
    let pattern =
      /(?:nonEmpty\(|environment\[|folder\(|"home": |getenv\()"?([A-Z][A-Z_]+|[a-z]+_proxy)"/
    for file in try Self.sources("Sources") where !file.path.contains("EnvironmentGuide") {
      for match in file.text.matches(of: pattern) { read.insert(String(match.1)) }
    }
    #expect(read.subtracting(documented).isEmpty, "not documented: \(read.subtracting(documented))")
    // Read by the C library, or by a part of the program that is still to come.
    let elsewhere: Set = ["TZ"]
    let unread = documented.subtracting(read).subtracting(elsewhere)
    #expect(unread.isEmpty, "documented, but never read: \(unread)")
  }
}

/// The committed pages and scripts.
struct DocumentationTests {
  @Test(
    "man/ and completions/ are what the declarations say; 'make docs' writes them",
    .enabled(if: CommandTreeTests.isComplete))
  func current() throws {
    func committed(_ path: String) -> String {
      (try? String(contentsOf: SourceTests.root.appendingPathComponent(path), encoding: .utf8))
        ?? ""
    }
    var stale = Documentation.pages().filter { committed("man/\($0.name)") != $0.text }.map(\.name)
    stale += CompletionShell.allCases.filter {
      committed("completions/\($0.fileName(program: "tote"))") != $0.script(program: "tote")
    }.map(\.rawValue)
    #expect(stale == [])
    let names = try FileManager.default.contentsOfDirectory(
      atPath: SourceTests.root.appendingPathComponent("man").path
    ).filter { $0.hasSuffix(".1") || $0.hasSuffix(".5") || $0.hasSuffix(".7") }
    #expect(Set(names) == Set(Documentation.pages().map(\.name)))
  }
}
