import Glibc
import TestSupport
import Testing

@testable import Core

@Suite struct SealedBlobTests {
  private struct Sample {
    let store: BlobStore
    let blob: BlobID
    let content: [UInt8]
    var path: String { store.path(of: blob) }

    func read() throws -> [UInt8] {
      var bytes: [UInt8] = []
      try store.open(blob).forEachPiece { bytes += $0 }
      return bytes
    }
  }

  private func withSample(_ size: Int, _ body: (Sample) throws -> Void) throws {
    try withTemporaryDirectory { path in
      var generator = SeededGenerator(for: "sealed blob of \(size) bytes")
      let content = (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let store = BlobStore(Folder(path), keys: try BlobKeys())
      let writer = try store.writer()
      var rest = content[...]
      while !rest.isEmpty {
        let part = rest.prefix(Int.random(in: 1...150_000, using: &generator))
        try writer.append(Array(part))
        rest = rest.dropFirst(part.count)
      }
      let staged = try writer.finish()
      try body(Sample(store: store, blob: staged.blob, content: content))
    }
  }

  @Test(
    "content comes back whole and in ranges",
    arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 300_000])
  func roundTrip(size: Int) throws {
    try withSample(size) { sample in
      #expect(try sample.read() == sample.content)
      #expect(sample.store.size(of: sample.blob) == size)
      var generator = SeededGenerator(for: "ranges of \(size) bytes")
      let reader = try sample.store.open(sample.blob)
      for _ in 0..<50 {
        let start = Int.random(in: 0...(size + 10), using: &generator)
        var buffer = [UInt8](
          repeating: 0, count: Int.random(in: 1...200_000, using: &generator))
        let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0, at: start) }
        #expect(buffer[..<count] == sample.content.dropFirst(start).prefix(buffer.count))
      }
    }
  }

  @Test("a changed byte anywhere in a file is noticed", arguments: [0, 100, 65_536, 140_000])
  func flips(size: Int) throws {
    try withSample(size) { sample in
      let sound = try readBytes(sample.path)
      var generator = SeededGenerator(for: "changed bytes of a sealed blob")
      let random = (0..<60).map { _ in Int.random(in: 0..<sound.count, using: &generator) }
      for index in Array(0..<160) + random {
        var bytes = sound
        bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        try writeBytes(bytes, to: sample.path)
        #expect(throws: StoreError.self, "byte \(index)") { _ = try sample.read() }
      }
    }
  }

  @Test("segments cannot be cut off, added, exchanged or moved")
  func structure() throws {
    try withSample(3 * 65_536) { sample in
      let sound = try readBytes(sample.path)
      let (start, size) = (SealedBlob.contentStart, SealedBlob.sealedSize)
      let segments = (0..<3).map { Array(sound[(start + $0 * size)..<(start + ($0 + 1) * size)]) }
      let head = Array(sound[..<start])
      let wrong: [[[UInt8]]] = [
        [segments[0], segments[1]], [segments[0]], [], [segments[1], segments[0], segments[2]],
        [segments[0], segments[2]], segments + [segments[2]],
        segments + [Array(repeating: 0, count: 16)],
        [segments[0], segments[1], Array(segments[2].dropLast())],
        [segments[0], segments[1], Array(segments[2].prefix(16))],
      ]
      for arrangement in wrong {
        try writeBytes(head + arrangement.flatMap { $0 }, to: sample.path)
        #expect(throws: StoreError.self) { _ = try sample.read() }
      }
      for length in stride(from: 0, to: sound.count, by: 20_011) {
        try writeBytes(Array(sound[..<length]), to: sample.path)
        #expect(throws: StoreError.self) { _ = try sample.read() }
      }
    }
  }

  @Test("a range far into a blob reads only its own segments")
  func laziness() throws {
    try withSample(5 * 65_536) { sample in
      var bytes = try readBytes(sample.path)
      bytes[SealedBlob.contentStart + 10] ^= 1
      try writeBytes(bytes, to: sample.path)
      let reader = try sample.store.open(sample.blob)
      var buffer = [UInt8](repeating: 0, count: 1_000)
      let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0, at: 200_000) }
      #expect(count == 1_000 && buffer[...] == sample.content[200_000..<201_000])
      #expect(throws: StoreError.self) {
        try buffer.withUnsafeMutableBytes { try reader.read(into: $0, at: 0) }
      }
    }
  }

  @Test("files of two blobs cannot be exchanged, and names and sizes aside nothing is told")
  func names() throws {
    try withTemporaryDirectory { path in
      let store = BlobStore(Folder(path), keys: try BlobKeys())
      let blobs = try ["first content", "other content"].map {
        try store.stage(Array($0.utf8)).blob
      }
      for blob in blobs {
        #expect(store.path(of: blob) != BlobStore(Folder(path)).path(of: blob))
        #expect(try files(below: path, holding: blob.hex).isEmpty)
      }
      let files = try blobs.map { try readBytes(store.path(of: $0)) }
      try writeBytes(files[1], to: store.path(of: blobs[0]))
      #expect(throws: StoreError.self) { _ = try store.open(blobs[0]) }
      // The same content in another store has another name and other bytes.
      let other = BlobStore(Folder(path + "/other"), keys: try BlobKeys())
      let again = try other.stage(Array("first content".utf8))
      #expect(again.blob == blobs[0])
      #expect(other.fileName(of: again.blob) != store.fileName(of: blobs[0]))
    }
  }
}
