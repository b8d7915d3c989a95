import Core

/// Takes the documents out of a bundle that the store lacks, in batches of bounded size.
struct BundleUnpacker {
  private let file: BundleFile
  private let store: any DocumentStore
  private let retry: Retry
  private let makeBlob: (@Sendable () throws -> BlobWriter)?
  private var input: BundleInput
  /// A document with attachments, until the next frame says that it is whole.
  private var pending: Pending?
  private var isAtEnd = false
  /// Documents read so far.
  private(set) var documents = 0
  /// Attachments read so far.
  private(set) var attachments = 0
  /// Where the bundle ends in the source's feed, once the end was read.
  private(set) var through: UpdateSequence?

  private struct Pending {
    var document: Document
    /// Attachments whose bytes are still to come.
    var awaited: [Int]
    /// The store lacks the revision.
    var isWanted = true
  }

  /// Begins after the header; `makeBlob` starts an attachment's bytes, nil passes over them.
  init(
    _ file: BundleFile, store: any DocumentStore, retry: Retry,
    makeBlob: (@Sendable () throws -> BlobWriter)?
  ) {
    self.file = file
    self.store = store
    self.retry = retry
    self.makeBlob = makeBlob
    input = file.frames()
  }

  /// The next documents that the store lacks, possibly none of them; nil after the last.
  mutating func nextBatch() async throws -> [Document]? {
    guard !isAtEnd else { return nil }
    var unasked: [Document] = []
    var wanted: [Document] = []
    var bytes = 0
    while bytes < ReplicationTuning.batchBytes,
      unasked.count + wanted.count < ReplicationTuning.batchSize
    {
      guard let frame = try input.nextFrame() else { throw damaged("its end is missing") }
      switch frame.kind {
      case .document:
        take(&wanted)
        let document = try document(input.json(of: frame))
        bytes += document.body.bytes.count
        documents += 1
        let awaited = document.attachments.indices.filter {
          document.attachments[$0].content == .follows
        }
        if awaited.isEmpty, document.attachments.isEmpty {
          unasked.append(document)
        } else {
          // Asked for at once: the bytes that follow need not be kept when the revision is known.
          let isWanted = try await !lacking([document]).isEmpty
          pending = Pending(document: document, awaited: awaited, isWanted: isWanted)
        }
      case .file: try readFile(frame)
      case .void:
        try input.skip(frame)
        guard pending != nil else { throw damaged("a frame is out of place") }
        pending = nil
        documents -= 1
      case .end:
        take(&wanted)
        through = try input.json(of: frame)["through"].map { UpdateSequence($0) }
        isAtEnd = true
        return try await lacking(unasked) + wanted
      case .header: throw damaged("a frame is out of place")
      }
    }
    return try await lacking(unasked) + wanted
  }

  /// The pending document is whole when the next one begins.
  private mutating func take(_ wanted: inout [Document]) {
    if let pending, pending.isWanted { wanted.append(pending.document) }
    pending = nil
  }

  private mutating func readFile(_ frame: BundleInput.Frame) throws {
    guard let index = pending?.awaited.first else { throw damaged("a frame is out of place") }
    pending?.awaited.removeFirst()
    attachments += 1
    guard pending?.isWanted == true, let makeBlob else { return try input.skip(frame) }
    let blob = try makeBlob()
    try input.stream(frame) { try blob.append($0) }
    pending?.document.attachments[index].content = .staged(try blob.finish())
  }

  private func document(_ json: JSON) throws -> Document {
    do {
      return try Document(json: json)
    } catch {
      throw damaged("a document cannot be read: \(error)")
    }
  }

  /// Those of the documents that the store lacks.
  private func lacking(_ documents: [Document]) async throws -> [Document] {
    guard !documents.isEmpty else { return [] }
    var asked: [(id: String, revisions: [RevisionID])] = []
    for document in documents {
      guard let revision = document.revision else { throw damaged("a document has no revision") }
      if let last = asked.indices.last, utf8Equal(asked[last].id, document.id) {
        asked[last].revisions.append(revision)
      } else {
        asked.append((document.id, [revision]))
      }
    }
    let question = asked
    let missing = try await retry { try await store.missingRevisions(question) }
    var wanted: [UTF8Key: Set<RevisionID>] = [:]
    for (id, answer) in missing { wanted[UTF8Key(id), default: []].formUnion(answer.missing) }
    return documents.filter { document in
      document.revision.map { wanted[UTF8Key(document.id)]?.contains($0) ?? false } ?? false
    }
  }

  private func damaged(_ detail: String) -> BundleError {
    .damaged(path: file.path, detail: detail)
  }
}
