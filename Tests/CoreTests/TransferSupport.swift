import Glibc
import Testing

@testable import Core

/// A store in a folder of its own, with what imports and exports need around it.
struct TransferBench {
  let store: LocalStore
  let stores: StoreDirectory

  /// Imports a text, as if it came from a file called `in`.
  @discardableResult
  func importing(
    _ text: String, _ options: ImportOptions = ImportOptions()
  ) throws -> ImportSummary {
    try importing(Array(text.utf8), options)
  }

  @discardableResult
  func importing(
    _ bytes: [UInt8], _ options: ImportOptions = ImportOptions()
  ) throws -> ImportSummary {
    let path = stores.path + "/input-\(UInt64.random(in: 0...UInt64.max))"
    do {
      let file = try OpenFile(path, O_RDWR | O_CREAT)
      try bytes.withUnsafeBytes { try file.write($0) }
    }
    let file = try OpenFile(path, O_RDONLY)
    return try Importer(into: store, options: options)
      .run(descriptor: file.descriptor, name: "in", folder: stores.path)
  }

  /// Exports the store and gives the bytes.
  func exporting(_ options: ExportOptions = ExportOptions()) throws -> [UInt8] {
    let path = stores.path + "/output-\(UInt64.random(in: 0...UInt64.max))"
    let file = try OpenFile(path, O_RDWR | O_CREAT)
    let summary = try Exporter(from: store, options: options)
      .run(descriptor: file.descriptor, name: "out")
    var bytes = [UInt8](repeating: 0, count: try file.size())
    let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    #expect(count == bytes.count)
    #expect(summary.bytes == bytes.count)
    return bytes
  }

  func exportedText(_ options: ExportOptions = ExportOptions()) throws -> String {
    String(decoding: try exporting(options), as: UTF8.self)
  }

  /// The body of a document, as canonical text.
  func body(_ id: String) throws -> String {
    String(decoding: try store.document(id).body.bytes, as: UTF8.self)
  }

  /// All ids, sorted.
  func ids() throws -> [String] { try store.allDocuments().rows.map(\.id) }
}

/// Makes a bench with an empty store.
func withTransferBench<Result>(_ body: (TransferBench) throws -> Result) throws -> Result {
  try withStores { stores in
    try body(TransferBench(store: try stores.create("t"), stores: stores))
  }
}
