import Glibc
import TestSupport
import Testing

/// Each test mounts a small file system in a mount namespace of its own, which ends with the command.
@Suite("Full disks and read-only homes")
struct DiskTests {
  /// Runs a shell line in which `$DISK` is a fresh file system of a size; nil where that is not allowed.
  private func onDisk(
    _ tote: ToteBinary, size: String, _ line: String
  ) throws -> ProcessResult? {
    var tote = tote
    let disk = "\(tote.directory)/disk"
    mkdir(disk, 0o700)
    tote.environment["DISK"] = disk
    tote.environment["TOTE_HOME"] = "\(disk)/home"
    let mount = "mount -t tmpfs -o size=\(size) tmpfs \"$DISK\""
    let probe = try tote.shell("unshare -m sh -c '\(mount)'")
    guard probe.exitCode == 0 else {
      reportSkipped("a full disk and a read-only home", because: "no mount here: \(probe.errors)")
      return nil
    }
    try writeText("set -e\n\(mount)\n\(line)\n", to: "\(tote.directory)/script")
    return try tote.shell("unshare -m sh script", within: .seconds(120))
  }

  @Test("an import that fills the disk says so with 74 and keeps what was there")
  func fullDiskImport() throws {
    try withTote { tote in
      try writeText(SampleDocuments.lines(0..<60_000), to: "\(tote.directory)/docs.jsonl")
      let result = try onDisk(
        tote, size: "6m",
        """
        tote store create notes
        tote store put notes before '{"kept":true}' >/dev/null
        code=0; tote store import notes docs.jsonl >import.out 2>import.err || code=$?
        echo "import $code"
        code=0; tote store verify notes >verify.out 2>&1 || code=$?
        echo "verify $code"
        tote store get notes before --field kept
        """)
      guard let result else { return }
      #expect(result.lines == ["import 74", "verify 0", "true"], "\(result.errors)")
      let message = try readText("\(tote.directory)/import.err")
      #expect(message.contains("no space left on device"), "\(message)")
    }
  }

  @Test("an attachment that fills the disk says so with 74 and leaves nothing behind")
  func fullDiskAttachment() throws {
    try withTote { tote in
      let result = try onDisk(
        tote, size: "6m",
        """
        tote store create notes
        tote store put notes doc '{}' >/dev/null
        head -c 20000000 /dev/zero >large.bin
        code=0; tote store attach notes doc large.bin 2>attach.err || code=$?
        echo "attach $code"
        find "$TOTE_HOME/notes.store/blobs" -type f ! -name lock | wc -l
        tote store put notes after '{}' >/dev/null
        code=0; tote store verify notes >verify.out 2>&1 || code=$?
        echo "verify $code"
        """)
      guard let result else { return }
      #expect(result.lines == ["attach 74", "0", "verify 0"], "\(result.errors)")
    }
  }

  @Test("a read-only home can be read; writing says that it cannot, with 77")
  func readOnlyHome() throws {
    try withTote { tote in
      let result = try onDisk(
        tote, size: "20m",
        """
        tote store create notes
        tote store put notes doc '{"kept":true}' >/dev/null
        mount -o remount,ro "$DISK"
        tote store list --jsonl | wc -l
        tote store get notes doc --field kept
        code=0; tote store find notes --where 'kept == TRUE' --count >/dev/null || code=$?
        echo "find $code"
        for command in 'store put notes other {}' 'store rm notes doc' 'store create more' \\
          'store delete notes --yes' 'todo add milk'; do
          code=0; tote $command >/dev/null 2>error || code=$?
          echo "$command: $code"; grep -qi 'read-only\\|permission' error || cat error
        done
        """)
      guard let result else { return }
      #expect(
        result.lines == [
          "1", "true", "find 0", "store put notes other {}: 77", "store rm notes doc: 77",
          "store create more: 77", "store delete notes --yes: 77", "todo add milk: 77",
        ], "\(result.output)\(result.errors)")
    }
  }

  @Test("without any home the program says how to name one, with 78")
  func noHome() throws {
    try withTote { tote in
      var tote = tote
      for name in ["HOME", "XDG_DATA_HOME"] { tote.environment[name] = nil }
      // The user database would give root a home: the variable empty is how a service may run.
      tote.environment["HOME"] = ""
      let result = try tote.run("store", "list")
      #expect(result.exitCode == 78, "\(result.errors)")
      #expect(result.errors.contains("TOTE_HOME"))
    }
  }
}
