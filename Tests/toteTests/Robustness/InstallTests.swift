import Glibc
import TestSupport
import Testing

@Suite("What make install puts in place")
struct InstallTests {
  /// The folder of the Makefile.
  private var project: String {
    "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
  }

  /// Installs the built program below a private folder and hands over that folder.
  private func withInstallation(_ body: (ToteBinary, String) throws -> Void) throws {
    try withTote { tote in
      let root = "\(tote.directory)/root"
      let binary = try ToteBinary.path()
      let make = try tote.shell(
        "make -C '\(project)' install BINARY='\(binary)' DESTDIR='\(root)' PREFIX=/usr")
      try #require(make.exitCode == 0, "\(make.errors)")
      try body(tote, root)
    }
  }

  @Test("the binary runs from there, and uninstall leaves no file")
  func binary() throws {
    try withInstallation { tote, root in
      let version = try tote.shell("'\(root)/usr/bin/tote' --version")
      #expect(version.output.hasPrefix("tote "))
      let make = try tote.shell("make -C '\(project)' uninstall DESTDIR='\(root)' PREFIX=/usr")
      #expect(make.exitCode == 0, "\(make.errors)")
      #expect(try tote.shell("find '\(root)' -type f").output == "")
    }
  }

  @Test("man finds the pages of the program, its commands and the JSON it writes")
  func manual() throws {
    try withInstallation { tote, root in
      for page in ["tote", "tote-store-put", "tote-todo-add", "tote-json"] {
        let shown = try tote.shell(
          "MANPAGER=cat MANWIDTH=78 man -M '\(root)/usr/share/man' \(page)")
        #expect(shown.exitCode == 0, "\(page): \(shown.errors)")
        #expect(shown.output.contains(page), "\(page)")
      }
    }
  }

  @Test(
    "each shell loads its completion by itself from where it looks",
    arguments: [
      ("bash -u", ". '%/bash-completion/completions/tote' && complete -p tote"),
      (
        "zsh -f",
        "fpath=('%/zsh/site-functions' $fpath); autoload -Uz compinit; compinit -u; print $_comps[tote]"
      ),
      ("fish -N", "set fish_complete_path '%/fish/vendor_completions.d'; complete -C 'tote sto'"),
    ])
  func completions(shell: String, line: String) throws {
    try withInstallation { tote, root in
      let script = line.replacing("%", with: "\(root)/usr/share")
      try writeText(script + "\n", to: "\(tote.directory)/script")
      let result = try tote.shell("PATH='\(root)/usr/bin':$PATH \(shell) script")
      #expect(result.exitCode == 0, "\(result.errors)")
      #expect(result.output.contains("tote") || result.output.contains("store"), "\(result.output)")
      #expect(result.errors == "")
    }
  }
}
