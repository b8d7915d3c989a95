import Core
import Glibc

/// Puts documents with their attachments into a bundle.
struct BundlePacker {
  private let output: BundleOutput
  /// Digests of attachments whose bytes earlier bundles carry.
  private let carried: Set<String>
  private var documents = 0
  private var attachments = 0
  private var failures: [ReplicationReport.Failure] = []
  /// Digests of the large attachments put in.
  private(set) var added: [String] = []

  init(output: BundleOutput, carried: Set<String>) {
    self.output = output
    self.carried = carried
  }

  /// Tells what was put in.
  func note(in report: inout BundleReport) {
    report.documents = documents
    report.attachments = attachments
    report.failures = failures
    report.bytes = output.count
  }

  /// Puts a document in; one whose attachments are damaged is noted as a failure.
  mutating func add(_ document: Document) throws {
    var described = document
    var contents: [Attachment] = []
    described.attachments.sortByName()
    described.annotations.attachmentEncoding = true
    for index in described.attachments.indices {
      let attachment = described.attachments[index]
      if attachment.content == .stub || carried.contains(attachment.digest) {
        described.attachments[index].content = .stub
      } else {
        described.attachments[index].content = .follows
        contents.append(attachment)
      }
    }
    do {
      for attachment in contents { try check(attachment) }
    } catch StoreError.damagedAttachment(let name, let detail) {
      return fail(document, "attachment '\(name)' is damaged: \(detail)")
    }
    try output.write(.document, described.jsonBytes)
    do {
      for attachment in contents { try write(attachment) }
    } catch StoreError.damagedAttachment(let name, let detail) {
      try output.write(.void)
      return fail(document, "attachment '\(name)' is damaged: \(detail)")
    }
    documents += 1
    attachments += contents.count
    added += contents.filter { $0.storedLength >= BundleCheckpoint.largeAttachment }.map(\.digest)
  }

  private mutating func fail(_ document: Document, _ reason: String) {
    failures.append(
      ReplicationReport.Failure(id: document.id, revision: document.revision, reason: reason))
  }

  /// Looks whether the bytes are there before the frame promises them.
  private func check(_ attachment: Attachment) throws {
    guard case .staged(let staged) = attachment.content else { return }
    guard let size = staged.store.size(of: staged.blob) else {
      throw StoreError.damagedAttachment(name: attachment.name, detail: "its bytes are gone")
    }
    guard size == attachment.storedLength else {
      throw StoreError.damagedAttachment(
        name: attachment.name, detail: "it has \(size) bytes instead of \(attachment.storedLength)")
    }
  }

  /// Writes the frame of an attachment's bytes as they are stored.
  ///
  /// - Throws: `StoreError.damagedAttachment` after a whole frame when its digest differs.
  private func write(_ attachment: Attachment) throws {
    switch attachment.content {
    case .inline(let bytes): try output.write(.file, bytes)
    case .staged(let staged):
      let file = try staged.store.open(staged.blob)
      var md5 = MD5()
      var rest = staged.length
      try output.begin(.file, length: rest)
      while rest > 0 {
        var piece = [UInt8](repeating: 0, count: min(rest, BundleFormat.pieceSize))
        let count = try piece.withUnsafeMutableBytes {
          try file.read(into: $0, at: staged.length - rest)
        }
        guard count > 0 else {
          throw BundleError.io(operation: "read", path: staged.path, code: EIO)
        }
        piece.removeLast(piece.count - count)
        md5.update(piece)
        try output.add(piece)
        rest -= count
      }
      try output.end()
      let (high, low) = md5.finish()
      let digest = withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { md5Text(Array($0)) }
      guard digest == attachment.digest else {
        throw StoreError.damagedAttachment(
          name: attachment.name, detail: "its bytes do not match its digest")
      }
    case .stub, .follows: break
    }
  }
}
