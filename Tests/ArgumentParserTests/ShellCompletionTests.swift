import ArgumentParser
import Foundation
import TestSupport
import Testing

/// The scripts in real shells: a person types a line and presses Tab.
@Suite struct ShellCompletionTests {
  /// A shell with the fixture's script loaded, and a folder with a few files; `program` is the text
  /// of a shell script that stands in for the fixture.
  private func withShell<Result>(
    _ kind: ShellCompletion.Shell, setup: [String] = [], program: String? = nil,
    _ body: (ShellCompletion) throws -> Result
  ) throws -> Result {
    try withTemporaryDirectory { home in
      try FileManager.default.createDirectory(
        atPath: "\(home)/bin", withIntermediateDirectories: false)
      if let program {
        try writeText("#!/bin/sh\n\(program)\n", to: "\(home)/bin/tote")
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o755], ofItemAtPath: "\(home)/bin/tote")
      } else {
        try FileManager.default.createSymbolicLink(
          atPath: "\(home)/bin/tote", withDestinationPath: fixturePath())
      }
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
    ("tote open --into=fo\t", "tote open --into=folder\\ one/"),
    ("tote open --picture=pi\t", "tote open --picture=picture.png "),
    ("tote open --picture=\t", "tote open --picture="),
    ("tote open --picture folder\\ o\t", "tote open --picture folder\\ one/"),
    ("tote open fo\t", "tote open folder\\ one/"),
    ("X=1 tote op\t", "X=1 tote open "),
    ("echo x | tote op\t", "echo x | tote open "),
    ("true && tote get user:a\t", "true && tote get user:alice "),
    ("tote  get   pla\t", "tote  get   plain "),
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
        let actual = try shell.line(after: keys)
        #expect(actual == line, "\(keys)")
      }
    }
  }

  @Test("zsh inserts what the program offers, quoted as the word is")
  func inZsh() throws {
    try withShell(.zsh) { shell in
      for (keys, line) in Self.everywhere + Self.zsh {
        let actual = try shell.line(after: keys)
        #expect(actual == line, "\(keys)")
      }
    }
  }

  @Test("fish inserts what the program offers, quoted as the word is")
  func inFish() throws {
    try withShell(.fish) { shell in
      for (keys, line) in Self.everywhere + Self.fish {
        let actual = try shell.line(after: keys)
        #expect(actual == line, "\(keys)")
      }
    }
  }

  @Test("the scripts work whatever the person's shell is set to")
  func hostileSettings() throws {
    let setups: [(ShellCompletion.Shell, [String])] = [
      (.bash, ["set -u", "IFS=:o", "alias grep=false ls=false", "shopt -s failglob nocasematch"]),
      (.zsh, ["setopt no_unset ksh_arrays sh_word_split", "IFS=:o", "alias grep=false ls=false"]),
      (.fish, ["alias grep=false", "alias ls=false", "set -g IFS :o"]),
    ]
    for (kind, setup) in setups {
      try withShell(kind, setup: setup) { shell in
        for (keys, line) in [
          ("tote op\t", "tote open "), ("tote get _des\t", "tote get _design/my\\ view "),
          ("tote get user:a\t", "tote get user:alice "),
          ("tote open --picture pi\t", "tote open --picture picture.png "),
        ] {
          let actual = try shell.line(after: keys)
          #expect(actual == line, "\(kind) \(keys)")
        }
      }
    }
  }

  @Test(
    "kubernetes#82883: a program that fails offers nothing and shows nothing",
    arguments: ["exit 1", "echo broken store >&2; exit 74", "kill -9 $$", "echo :none"])
  func failingProgram(program: String) throws {
    for kind in ShellCompletion.Shell.allCases {
      try withShell(kind, program: program) { shell in
        let shown = try shell.screen(after: "tote no\t")
        #expect(!shown.contains("broken") && !shown.contains("notes.txt"), "\(kind) \(shown)")
        let line = try shell.line(after: "tote no\t")
        #expect(line == "tote no", "\(kind)")
      }
    }
  }

  @Test("a list shows every candidate once, with its description where the shell can")
  func lists() throws {
    try withShell(.bash) { shell in
      let shown = try shell.screen(after: "tote get user:\t\t")
      #expect(shown.contains("alice"))
      #expect(shown.contains("bob"))
      #expect(!shown.contains("plain"))
    }
    for kind in [ShellCompletion.Shell.zsh, .fish] {
      try withShell(kind) { shell in
        let shown = try shell.screen(after: "tote \t")
        for text in ["read: a document", #"open 'files' [or] $(not): "x" \ `y`"#, "two words"] {
          #expect(shown.contains(text), "\(kind) \(shown)")
        }
      }
    }
  }

  @Test("zsh says when there are more candidates than listed")
  func more() throws {
    try withShell(.zsh, setup: ["LISTMAX=1000"]) { shell in
      let shown = try shell.screen(after: "tote many n\t")
      #expect(shown.contains("type another letter"))
    }
  }

  @Test("each shell accepts its script", arguments: CompletionShell.allCases)
  func syntax(kind: CompletionShell) throws {
    try withTemporaryDirectory { folder in
      try writeText(kind.script(program: "tote"), to: "\(folder)/script")
      var launch = Launch("/usr/bin/env", [kind.rawValue, "-n", "\(folder)/script"])
      launch.environment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": folder]
      let result = try ChildProcess(launch).finish(within: .seconds(30))
      #expect(result.status == .exited(0), "\(result)")
    }
  }

  @Test("zsh loads the script from its function path too")
  func autoload() throws {
    try withTemporaryDirectory { home in
      try FileManager.default.createDirectory(
        atPath: "\(home)/bin", withIntermediateDirectories: false)
      try FileManager.default.createSymbolicLink(
        atPath: "\(home)/bin/tote", withDestinationPath: fixturePath())
      try writeText(CompletionShell.zsh.script(program: "tote"), to: "\(home)/bin/_tote")
      try writeText("", to: "\(home)/empty")
      let shell = try ShellCompletion(
        .zsh, script: "\(home)/empty", binaries: "\(home)/bin", home: home,
        setup: ["fpath=(\(home)/bin $fpath)", "compinit -u -D"])
      for _ in 0..<2 {
        let line = try shell.line(after: "tote op\t")
        #expect(line == "tote open ")
      }
    }
  }
}
