import Foundation
import Testing

/// The arrows between the modules: what each may import, and what only the program may do.
struct LayeringTests {
  /// What the files of a module may import, beside the standard library's own modules.
  static let allowed: [String: Set<String>] = [
    "ArgumentParser": [],
    "Core": ["CSQLite", "CNettle", "CPageCipher", "CKeyring", "CZlib", "CPCRE2", "CICU"],
    "HTTP": ["CMicroHTTPD", "CCurl", "CGnuTLS", "CZlib"],
    "Sync": ["Core", "HTTP"],
    "Photos": ["Core", "HTTP", "Sync", "CJPEG", "CPages"],
    "Drop": ["Core", "HTTP", "Sync", "CQREncode", "CZBar", "CZlib", "CPages"],
    "tote": ["ArgumentParser", "Core", "HTTP", "Sync", "Photos", "Drop"],
  ]
  static let standard: Set<String> = ["Swift", "Glibc", "Synchronization", "FoundationEssentials"]

  @Test("modules import only what lies below them", arguments: allowed.keys.sorted())
  func imports(module: String) throws {
    let known = Self.standard.union(Self.allowed[module] ?? [])
    for file in try SourceTests.sources("Sources/\(module)") {
      for line in file.text.components(separatedBy: "\n") {
        let words = line.split(separator: " ")
        guard let position = words.firstIndex(of: "import"), position <= 2, !line.hasPrefix("//"),
          words[..<position].allSatisfy({
            ["public", "package", "internal", "private", "fileprivate"].contains($0)
              || $0.hasPrefix("@")
          }), position + 1 < words.count
        else { continue }
        // `import struct Module.Type` names the module in its last word.
        let name = words.last?.split(separator: ".").first.map(String.init) ?? ""
        #expect(known.contains(name), "\(file.path): \(line)")
      }
    }
  }

  @Test("every module of Sources has its arrows here")
  func complete() throws {
    let names = try FileManager.default.contentsOfDirectory(
      atPath: SourceTests.root.appendingPathComponent("Sources").path)
    // C targets import nothing of ours.
    let modules = names.filter { !($0.hasPrefix("C") && $0 != "Core") && !$0.hasPrefix(".") }
    #expect(Set(modules) == Set(Self.allowed.keys))
  }

  @Test("no module below the program reads the environment or ends the process")
  func effects() throws {
    let forbidden = /(^|[^\w.])(getenv|setenv|exit|_exit|abort|isatty)\(/
    for module in Self.allowed.keys.sorted() where module != "tote" {
      for file in try SourceTests.sources("Sources/\(module)") {
        // The one file that hands a zone to the C library through its only door.
        if file.path.hasSuffix("Core/Dates/LocalZone.swift") { continue }
        for (number, line) in file.text.components(separatedBy: "\n").enumerated() {
          let code = line.trimmingCharacters(in: .whitespaces)
          if code.hasPrefix("//") || code.hasPrefix("case ") { continue }
          let calls = code.replacing(".exit(", with: "")
          #expect(!calls.contains(forbidden), "\(file.path):\(number + 1)")
        }
      }
    }
  }
}
