import Glibc

/// Writes documents as the records of an export.
struct RecordWriter: ~Copyable {
  var summary = ExportSummary()
  var buffer = ByteBuffer(capacity: ExportSink.blockSize + 4096)
  private let store: LocalStore
  private let options: ExportOptions
  private let sink: ExportSink
  private let folder: Folder?

  init(_ store: LocalStore, _ options: ExportOptions, _ sink: ExportSink) throws {
    self.store = store
    self.options = options
    self.sink = sink
    if case .folder(let path, _) = options.attachments {
      folder = Folder(path)
      try Folder(path).create()
    } else {
      folder = nil
    }
  }

  /// Writes the records of one row `seq, rev, flags, tree, body, id`.
  mutating func writeDocument(of statement: Statement, _ connection: Connection) throws {
    let flags = RowFlags(rawValue: statement.integer(2))
    if statement.isNull(3) || !options.allRevisions {
      // Nearly all documents: nothing is decoded but the revision.
      let revision = try store.decodedRevision(statement, column: 1)
      beginRecord(id: statement.bytes(5), revision)
      if flags.contains(.deleted) { buffer.append(literal: ",\"_deleted\":true") }
      if options.allRevisions { appendHistory([revision]) }
      try appendAttachments(statement, flags, revision, connection)
      try endRecord(body: statement.bytes(4))
      return
    }
    try writeRevisions(of: try store.decodedRow(statement), id: statement.text(5), connection)
  }

  /// Writes every revision that has a body, ancestors before descendants.
  private mutating func writeRevisions(
    of row: DocumentRow, id: String, _ connection: Connection
  ) throws {
    let nodes = row.tree.nodes.sorted { $0.revision < $1.revision }
    for node in nodes {
      let isWinner = node.revision == row.revision
      guard
        let body = isWinner ? row.body : try store.storedBody(id, node.revision, in: connection)
      else { continue }
      var id = id
      id.withUTF8 { beginRecord(id: UnsafeRawBufferPointer($0), node.revision) }
      if node.isDeleted { buffer.append(literal: ",\"_deleted\":true") }
      appendHistory(row.tree.history(of: node.revision))
      try appendAttachments(id, node.revision, connection)
      try body.withUnsafeBytes { try endRecord(body: $0) }
    }
  }

  // MARK: Parts of a record

  private mutating func beginRecord(id: UnsafeRawBufferPointer, _ revision: RevisionID) {
    if options.format == .json { buffer.append(literal: summary.records == 0 ? "\n" : ",\n") }
    buffer.append(literal: "{\"_id\":")
    buffer.appendJSONString(id)
    buffer.append(literal: ",\"_rev\":")
    buffer.appendJSONString(revision.description)
  }

  private mutating func appendHistory(_ history: [RevisionID]) {
    guard let newest = history.first else { return }
    buffer.append(literal: ",\"_revisions\":{\"start\":")
    buffer.append(decimal: Int64(newest.generation))
    buffer.append(literal: ",\"ids\":[")
    for (place, revision) in history.enumerated() {
      if place > 0 { buffer.append(literal: ",") }
      buffer.appendJSONString(revision.hashText)
    }
    buffer.append(literal: "]}")
  }

  /// Appends the members of the body and closes the record.
  private mutating func endRecord(body: UnsafeRawBufferPointer) throws {
    // A canonical body is at least `{}`; its members are copied with the closing brace.
    if body.count > 2 { buffer.append(literal: ",") }
    buffer.append(UnsafeRawBufferPointer(rebasing: body[1...]))
    if options.format == .jsonLines { buffer.append(literal: "\n") }
    summary.records += 1
    if buffer.count >= ExportSink.blockSize { try sink.drain(&buffer) }
  }

  // MARK: Attachments

  private mutating func appendAttachments(
    _ statement: Statement, _ flags: RowFlags, _ revision: RevisionID, _ connection: Connection
  ) throws {
    guard flags.contains(.attachments) else { return }
    try appendAttachments(statement.text(5), revision, connection)
  }

  private mutating func appendAttachments(
    _ id: String, _ revision: RevisionID, _ connection: Connection
  ) throws {
    guard options.attachments != .none else { return }
    let stored = try store.storedAttachments(id, revision, in: connection)
    guard !stored.isEmpty else { return }
    buffer.append(literal: ",\"_attachments\":{")
    for (place, attachment) in stored.enumerated() {
      if place > 0 { buffer.append(literal: ",") }
      let file = attachment.description
      buffer.appendJSONString(file.name)
      buffer.append(literal: ":{\"content_type\":")
      buffer.appendJSONString(file.contentType)
      buffer.append(literal: ",\"revpos\":")
      buffer.append(decimal: Int64(file.revisionPosition))
      buffer.append(literal: ",\"digest\":")
      buffer.appendJSONString(file.digest)
      buffer.append(literal: ",\"length\":")
      buffer.append(decimal: Int64(file.length))
      if let encoding = file.encoding {
        buffer.append(literal: ",\"encoding\":")
        buffer.appendJSONString(encoding)
        buffer.append(literal: ",\"encoded_length\":")
        buffer.append(decimal: Int64(file.storedLength))
      }
      try appendContent(of: AttachmentReader(attachment, blobs: store.blobs))
      buffer.append(literal: "}")
      summary.attachments += 1
    }
    buffer.append(literal: "}")
  }

  private mutating func appendContent(of reader: consuming AttachmentReader) throws {
    if case .folder(_, let name) = options.attachments, let folder {
      let file = reader.blob.hex
      buffer.append(literal: ",\"file\":")
      buffer.appendJSONString(name + "/" + file)
      return try copy(reader, to: folder.appending(file))
    }
    buffer.append(literal: ",\"data\":\"")
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 48 << 10, alignment: 16)
    defer { block.deallocate() }
    var offset = 0
    while offset < reader.count {
      // Whole groups of three bytes, so that pieces of base 64 join without padding in between.
      let count = try fill(block, from: reader, at: offset)
      buffer.append(base64([UInt8](UnsafeRawBufferPointer(rebasing: block[..<count]))))
      offset += count
      if buffer.count >= ExportSink.blockSize { try sink.drain(&buffer) }
    }
    buffer.append(literal: "\"")
  }

  private func fill(
    _ block: UnsafeMutableRawBufferPointer, from reader: borrowing AttachmentReader, at offset: Int
  ) throws -> Int {
    let wanted = min(block.count, reader.count - offset)
    var filled = 0
    while filled < wanted {
      let rest = UnsafeMutableRawBufferPointer(rebasing: block[filled..<wanted])
      let count = try reader.read(into: rest, at: offset + filled)
      guard count > 0 else {
        throw StoreError.damagedAttachment(
          name: reader.attachment.name, detail: "it is cut short")
      }
      filled += count
    }
    return wanted
  }

  /// Copies an attachment into a file, unless a complete one of that content is there.
  private func copy(_ reader: borrowing AttachmentReader, to path: String) throws {
    var status = stat()
    if stat(path, &status) == 0, Int(status.st_size) == reader.count { return }
    let draft = path + ".new"
    let file = try OpenFile(draft, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o666)
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    defer { block.deallocate() }
    var offset = 0
    while offset < reader.count {
      let count = try fill(block, from: reader, at: offset)
      try file.write(UnsafeRawBufferPointer(rebasing: block[..<count]))
      offset += count
    }
    try file.synchronize()
    try renameFile(draft, to: path)
  }
}
