import Testing

@testable import Core

@Suite struct BackupTests {
  private func filled(_ stores: StoreDirectory) throws -> LocalStore {
    let store = try stores.create("b")
    for index in 0..<50 {
      let bytes = Array(String(repeating: "\(index)", count: index * 40).utf8)
      let file = Attachment(name: "f", contentType: "a/b", content: .inline(bytes))
      try store.put(
        Document(
          id: "d\(index)", body: try DocumentBody(["n": .integer(Int64(index))]),
          attachments: index % 3 == 0 ? [file] : []))
    }
    return store
  }

  private func archive(_ store: LocalStore) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let report = try store.backup { bytes += $0 }
    #expect(report.bytes == bytes.count)
    return bytes
  }

  private func restore(
    _ name: String, _ bytes: [UInt8], in stores: StoreDirectory, step: Int = 1_000
  ) throws -> BackupReport {
    var rest = bytes[...]
    return try stores.restore(name, from: "test.tar") { buffer in
      let part = rest.prefix(min(step, buffer.count))
      buffer.copyBytes(from: part)
      rest = rest.dropFirst(part.count)
      return part.count
    }
  }

  @Test("a restored store equals the one backed up, under a uuid of its own")
  func roundTrip() throws {
    try withStores { stores in
      let store = try filled(stores)
      let bytes = try archive(store)
      #expect(bytes.count % 512 == 0)
      let report = try restore("copy", bytes, in: stores)
      #expect(report.store == "b" && report.documents == 50)
      let copy = try stores.open("copy")
      #expect(try copy.verify().isSound)
      var options = ListRequest()
      options.documents = ReadOptions()
      options.documents?.attachmentBytes = true
      #expect(
        try copy.allDocuments(options).rows.map(\.document)
          == store.allDocuments(options).rows.map(\.document))
      #expect(try copy.info().uuid != store.info().uuid)
    }
  }

  @Test("couchbackup#20: an archive cut anywhere is refused, and no store appears")
  func truncation() throws {
    try withStores { stores in
      let bytes = try archive(try filled(stores))
      for length in [0, 100, 512, 5_000, bytes.count / 2, bytes.count - 3_000] {
        #expect(throws: StoreError.self) {
          try restore("copy", Array(bytes.prefix(length)), in: stores)
        }
      }
      #expect(try stores.names() == ["b"])
    }
  }

  @Test("a changed byte is refused, wherever it is")
  func alteration() throws {
    try withStores { stores in
      let bytes = try archive(try filled(stores))
      for position in stride(from: 7, to: bytes.count - 2_048, by: bytes.count / 40) {
        var altered = bytes
        altered[position] ^= 0x10
        #expect(throws: StoreError.self, "byte \(position)") {
          try restore("copy", altered, in: stores)
        }
      }
      #expect(try stores.names() == ["b"])
    }
  }

  @Test("a name that is taken is refused before anything is read")
  func taken() throws {
    try withStores { stores in
      _ = try filled(stores)
      #expect(throws: StoreError.storeExists(name: "b")) { try restore("b", [], in: stores) }
    }
  }

  @Test("sizes above 8 GiB survive the header", arguments: [0, 511, 1 << 33 - 1, 1 << 33, 1 << 42])
  func headerSizes(_ size: Int) throws {
    let header = TarHeader(name: "blobs/x", size: size, modified: 12)
    let back = try #require(TarHeader(header.bytes))
    #expect(back.size == size && back.name == "blobs/x" && back.modified == 12)
  }
}
