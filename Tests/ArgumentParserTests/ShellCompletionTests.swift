import ArgumentParser
import Foundation
import TestSupport
import Testing

/// The scripts in real shells: a person types a line and presses Tab.
@Suite struct ShellCompletionTests {
  /// A shell with the fixture's script loaded, and a folder with a few files.
  private func withShell<Result>(
    _ kind: ShellCompletion.Shell, setup: [String] = [], _ body: (ShellCompletion) throws -> Result
  ) throws -> Result {
    try withTemporaryDirectory { home in
      try FileManager.default.createDirectory(
        atPath: "\(home)/bin", withIntermediateDirectories: false)
      try FileManager.default.createSymbolicLink(
        atPath: "\(home)/bin/tote", withDestinationPath: fixturePath())
      try FileManager.default.createDirectory(
        atPath: "\(home)/work/folder one", withIntermediateDirectories: true)
      for name in ["picture.png", "notes.txt", "Zebra.PNG"] {
        try writeText("", to: "\(home)/work/\(name)")
      }
      let script = try #require(CompletionShell(rawValue: kind.rawValue))
      try writeText(script.script(program: "tote"), to: "\(home)/script")
      let shell = try ShellCompletion(
        kind, script: "\(home)/script", binaries: "\(home)/bin", home: home,
        directory: "\(home)/work", setup: setup)
      return try body(shell)
    }
  }

  private func fixturePath() throws -> String {
    let bundle = try #require(CommandLine.arguments.first { $0.hasSuffix(".xctest") })
    return URL(fileURLWithPath: bundle).deletingLastPathComponent()
      .appendingPathComponent("completion-fixture").path
  }

  /// Typed keys and the line they give; a tab is the Tab key.
  static let everywhere = [
    ("tote op\t", "tote open "),
    ("tote --js\t", "tote --json "),
    ("tote --color al\t", "tote --color always "),
    ("tote get pl\t", "tote get plain "),
    ("tote get plain pl\t", "tote get plain pl"),
    ("tote get --owner an\t", "tote get --owner ann "),
    ("tote pair pla\t", "tote pair plain "),
    ("tote nope x\t", "tote nope x"),
    ("tote get user:a\t", "tote get user:alice "),
    ("tote get http:\t", "tote get http://example.org/db "),
    ("tote get http\t", "tote get http://example.org/db "),
    ("tote --color=al\t", "tote --color=always "),
    ("tote get --owner=b\t", "tote get --owner=bea:x "),
    ("tote get é\t", "tote get é "),
    ("tote get --\t", "tote get --"),
    ("tote get -- -d\t", "tote get -- -dash "),
    ("tote open no\t", "tote open notes.txt "),
    ("tote open --picture pi\t", "tote open --picture picture.png "),
    ("tote open --picture no\t", "tote open --picture no"),
    ("tote open --into fo\t", "tote open --into folder\\ one/"),
    ("tote open --into no\t", "tote open --into no"),
  ]

  static let bash = [
    ("tote get user:\t", "tote get user:"),
    ("tote get _des\t", "tote get _design/my\\ view "),
    ("tote get a\t", "tote get a\\$b\\(c\\)+d "),
    ("tote get it\t", "tote get it\\'s "),
    ("tote get 'a\t", "tote get 'a$b(c)+d' "),
    ("tote get \"a\t", "tote get \"a\\$b(c)+d\" "),
    ("tote get 'it\t", "tote get 'it'\\''s' "),
    ("tote get \"it\t", "tote get \"it's\" "),
    ("tote get \"user:a\t", "tote get \"user:alice\" "),
    ("tote get 'user:a\t", "tote get 'user:alice' "),
    ("tote get _design/my\\ \t", "tote get _design/my\\ view "),
    ("tote get \"_design/my \t", "tote get \"_design/my view\" "),
  ]

  static let zsh = [
    ("tote get _des\t", "tote get _design/my\\ view "),
    ("tote get a\t", "tote get a\\$b\\(c\\)+d "),
    ("tote get it\t", "tote get it\\'s "),
    ("tote get 'a\t", "tote get 'a$b(c)+d' "),
    ("tote get \"a\t", "tote get \"a\\$b(c)+d\" "),
    ("tote get \"it\t", "tote get \"it's\" "),
    ("tote get _design/my\\ \t", "tote get _design/my\\ view "),
    ("tote get \"user:a\t", "tote get \"user:alice\" "),
  ]

  static let fish = [
    ("tote get _des\t", "tote get _design/my\\ view "),
    ("tote get a\t", "tote get a\\$b\\(c\\)+d "),
    ("tote get it\t", "tote get it\\'s "),
    ("tote get 'a\t", "tote get 'a$b(c)+d' "),
    ("tote get \"a\t", "tote get \"a\\$b(c)+d\" "),
    ("tote get \"it\t", "tote get \"it's\" "),
    ("tote get _design/my\\ \t", "tote get _design/my\\ view "),
    ("tote get \"user:a\t", "tote get \"user:alice\" "),
  ]

  @Test("bash inserts what the program offers, quoted as the word is")
  func inBash() throws {
    try withShell(.bash) { shell in
      for (keys, line) in Self.everywhere + Self.bash {
        #expect(try shell.line(after: keys) == line, "\(keys)")
      }
    }
  }

  @Test("zsh inserts what the program offers, quoted as the word is")
  func inZsh() throws {
    try withShell(.zsh) { shell in
      for (keys, line) in Self.everywhere + Self.zsh {
        #expect(try shell.line(after: keys) == line, "\(keys)")
      }
    }
  }

  @Test("fish inserts what the program offers, quoted as the word is")
  func inFish() throws {
    try withShell(.fish) { shell in
      for (keys, line) in Self.everywhere + Self.fish {
        #expect(try shell.line(after: keys) == line, "\(keys)")
      }
    }
  }
}
