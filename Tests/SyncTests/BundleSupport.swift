import Core
import Foundation
import Sync
import TestSupport

/// Two stores and a folder for bundles.
struct BundleWorld {
  let source: LocalStore
  let target: LocalStore
  let folder: String

  func path(_ name: String) -> String { folder + "/" + name }

  /// Makes the next bundle; nil when nothing changed.
  @discardableResult
  func push(
    _ name: String = "b.totebundle", series: String? = nil, anew: Bool = false,
    options: ReplicationOptions = ReplicationOptions(), records: Bool = true
  ) async throws -> BundleReport? {
    let path = path(name)
    let existing = FileManager.default.fileExists(atPath: path) ? try BundleFile(path: path) : nil
    let push = BundlePush(from: source, to: series ?? path, options: options)
    guard
      let draft = try await push.begin(
        replacing: existing, startsAnew: anew, now: Instant(seconds: 1_800_000_000))
    else { return nil }
    let new = path + ".new"
    _ = FileManager.default.createFile(atPath: new, contents: nil)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: new))
    let written = try await draft.write(to: file.fileDescriptor, path: path)
    try file.close()
    _ = try? FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: new, toPath: path)
    if records { try await draft.record(written) }
    return written.report
  }

  @discardableResult
  func pull(_ name: String = "b.totebundle", dryRun: Bool = false) async throws -> BundleReport {
    try await BundlePull(BundleFile(path: path(name)), to: target).run(isDryRun: dryRun)
  }

  /// Carries the bundle away, so that the next one is written beside nothing.
  func move(_ name: String, to other: String) throws {
    try FileManager.default.moveItem(atPath: path(name), toPath: path(other))
  }

  func bytes(_ name: String = "b.totebundle") throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
  }

  static func run(_ body: (BundleWorld) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      let stores = StoreDirectory(path: "\(folder)/home")
      try await body(
        BundleWorld(
          source: try stores.create("left"), target: try stores.create("right"),
          folder: "\(folder)"))
    }
  }
}

/// Writes a document with a conflict, one with attachments, a tombstone and a design document.
func fill(_ store: LocalStore) throws {
  let first = try write("milk", "one", to: store)
  try write("milk", "two", over: first, to: store)
  let rival = Document(
    id: "milk", body: try DocumentBody(["text": "rival"]),
    history: [RevisionID(generation: 2, hash: "ffffffffffffffffffffffffffffffff"), first])
  _ = try store.write([rival], mode: .revisions)
  try write("photo", "a", to: store, attachment: "bytes of a photo\n")
  let gone = try write("gone", "x", to: store)
  try store.delete("gone", revision: gone)
  try store.put(Document(id: "_design/d", body: try DocumentBody(["views": [:]])))
}
