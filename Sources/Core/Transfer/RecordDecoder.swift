/// Turns records into what the store writes: the reader thread's share of an import.
///
/// A document without history, attachments and tombstone, nearly all there are, becomes canonical
/// bytes and the hash of its first revision, without a tree and without a string. The others become
/// ``Document`` values.
struct RecordDecoder: ~Copyable {
  private var scanner = DocumentScanner()
  private var hasher = MD5()
  private let place: ProblemPlace
  private let idMember: String?
  /// `"@datatype":"…"`, to be put in front of a record's members.
  private let datatype: [UInt8]
  private let isBackup: Bool
  /// Longer histories are cut by the store.
  private let maximumHistory: Int
  /// Where the files of attachments lie, if the input has a place of its own.
  private let folder: String?
  /// The text of a record with its datatype.
  private var scratch = ByteBuffer(capacity: 1024)

  init(
    _ options: ImportOptions, format: ImportFormat, place: ProblemPlace, folder: String?,
    maximumHistory: Int
  ) {
    self.place = place
    self.maximumHistory = maximumHistory
    self.folder = folder
    idMember = options.idMember
    isBackup = format == .couchbackup
    datatype =
      options.datatype.map {
        Array("\"@datatype\":".utf8) + JSON.string($0).serializedBytes()
      } ?? []
  }

  /// Decodes a record and adds it to a batch, or the problem that it is.
  mutating func decode(_ record: InputRecord, into batch: inout ImportBatch) {
    do throws(DocumentScanner.Fault) {
      try scanner.scan(record.bytes)
      let needsDatatype =
        !datatype.isEmpty
        && scanner.tape.member(DocumentMapper.datatypeMember, of: 0, in: record.bytes) == nil
      guard needsDatatype else { return try add(record.bytes, record, to: &batch) }
      writeWithDatatype(record.bytes)
      let bytes = scratch.unownedBytes
      try scanner.scan(bytes)
      try add(bytes, record, to: &batch)
    } catch {
      batch.add(place.problem(error, in: record))
    }
  }

  private mutating func writeWithDatatype(_ bytes: UnsafeRawBufferPointer) {
    let start = Int(scanner.tape[0].offset) + 1
    scratch.reset()
    scratch.append(UInt8(ascii: "{"))
    scratch.append(datatype)
    if scanner.tape.count > 1 { scratch.append(UInt8(ascii: ",")) }
    scratch.append(UnsafeRawBufferPointer(rebasing: bytes[start...]))
  }

  private mutating func add(
    _ bytes: UnsafeRawBufferPointer, _ record: InputRecord, to batch: inout ImportBatch
  ) throws(DocumentScanner.Fault) {
    // Whatever needs a look at the store, or at a file, takes the general way.
    let hasRevision = !scanner.members.isDisjoint(with: [.revision, .revisions])
    let isSimple =
      !scanner.members.contains(.attachments) && (hasRevision || !scanner.isDeleted)
    let idOffset = batch.text.count
    if let reason = appendID(bytes, to: &batch.text) {
      batch.text.truncate(to: idOffset)
      batch.add(place.problem(reason, line: record.line, column: record.column))
      return
    }
    let idLength = batch.text.count - idOffset
    let isLocal = batch.text[idOffset] == UInt8(ascii: "_")
    guard isSimple, !isLocal else {
      let id = batch.text.string(from: idOffset)
      batch.text.truncate(to: idOffset)
      return addDocument(bytes, id: id, record, to: &batch)
    }
    // The bytes that the first revision's hash is made of stand in one piece around the body.
    batch.text.append(literal: RevisionHasher.firstPrefix)
    let bodyOffset = batch.text.count
    scanner.appendBody(in: bytes, to: &batch.text)
    let bodyLength = batch.text.count - bodyOffset
    batch.text.append(literal: RevisionHasher.firstSuffix)
    let hashed = idOffset + idLength
    batch.text.withUnsafeBytes { hasher.update(UnsafeRawBufferPointer(rebasing: $0[hashed...])) }
    let digest = hasher.finish()
    var entry = ImportBatch.Entry(
      kind: .plain, idOffset: idOffset, idLength: idLength, bodyOffset: bodyOffset,
      bodyLength: bodyLength, digest: digest, line: record.line, column: record.column)
    guard hasRevision, !isFirstRevision(digest, bytes) else {
      batch.entries.append(entry)
      return
    }
    // The hash's suffix makes place for the revision.
    batch.text.truncate(to: bodyOffset + bodyLength)
    if appendRevision(bytes, &entry, to: &batch.text) {
      batch.entries.append(entry)
    } else {
      batch.text.truncate(to: hashed)
      let id = batch.text.string(from: idOffset)
      batch.text.truncate(to: idOffset)
      addDocument(bytes, id: id, record, to: &batch)
    }
  }

  /// Whether the record's revision is just what its content gives to a new document.
  private func isFirstRevision(
    _ digest: (UInt64, UInt64), _ bytes: UnsafeRawBufferPointer
  ) -> Bool {
    guard !scanner.isDeleted else { return false }
    let expected = RevisionID(generation: 1, hash: .digest(digest.0, digest.1))
    if scanner.members.contains(.revision), revision(bytes) != expected { return false }
    guard let history = scanner.revisions(in: bytes) else { return true }
    return history["start"] == 1
      && history["ids"]?.arrayValue == [.string(expected.hashText)]
  }

  private func revision(_ bytes: UnsafeRawBufferPointer) -> RevisionID? {
    var text = ByteBuffer(capacity: 64)
    scanner.appendRevision(in: bytes, to: &text)
    return RevisionID(text.string())
  }

  /// Appends the record's revision and its tree behind the body.
  ///
  /// - Returns: false when the general way must judge: malformed, or longer than trees may be.
  private func appendRevision(
    _ bytes: UnsafeRawBufferPointer, _ entry: inout ImportBatch.Entry, to text: inout ByteBuffer
  ) -> Bool {
    var history: [RevisionID] = []
    if let json = scanner.revisions(in: bytes) {
      guard let given = try? Document.history(from: json) else { return false }
      history = given
    } else if let revision = revision(bytes) {
      history = [revision]
    }
    guard let newest = history.first, newest.generation > 0, history.count <= maximumHistory
    else { return false }
    var hasher = RevisionHasher()
    let derived = text.withUnsafeBytes { all in
      hasher.revision(
        isDeleted: scanner.isDeleted, parent: history.count > 1 ? history[1] : nil,
        body: UnsafeRawBufferPointer(rebasing: all[entry.bodyOffset...]))
    }
    entry.kind = .revision
    entry.isMerge = isBackup || scanner.members.contains(.revisions)
    if scanner.isDeleted { entry.flags.insert(.deleted) }
    if derived == newest { entry.flags.insert(.derived) }
    let name = newest.encoded
    text.append(name)
    entry.revisionLength = name.count
    if history.count > 1 {
      var tree = RevisionTree()
      _ = tree.merge(history, isDeleted: scanner.isDeleted)
      let encoded = tree.encoded
      text.append(encoded)
      entry.treeLength = encoded.count
    }
    return true
  }

  // MARK: Ids

  /// Appends the record's id: its `_id`, its id member, or a new one.
  ///
  /// - Returns: why there is none; `nil` when there is.
  private func appendID(
    _ bytes: UnsafeRawBufferPointer, to text: inout ByteBuffer
  ) -> String? {
    let start = text.count
    if scanner.members.contains(.id) {
      scanner.appendID(in: bytes, to: &text)
    } else if let idMember, let token = scanner.tape.member(idMember, of: 0, in: bytes) {
      switch scanner.tape[token].kind {
      case .string: scanner.tape.appendText(at: token, in: bytes, to: &text)
      case .integer, .bigInteger:
        let range = scanner.tape[token]
        let offset = Int(range.offset)
        text.append(
          UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(range.length)]))
      default: return "'\(idMember)' cannot be an id: it is neither a string nor an integer"
      }
    } else {
      text.append(RandomIdentifier.timeOrdered())
    }
    guard text.count > start, text[start] != UInt8(ascii: "_") else {
      do throws(StoreError) {
        try DocumentID.check(text.string(from: start))
      } catch {
        if case .invalidDocumentID(let reason) = error { return reason }
        return "the id is not allowed"
      }
      return nil
    }
    return nil
  }

  // MARK: Documents with more than a body

  private func addDocument(
    _ bytes: UnsafeRawBufferPointer, id: String, _ record: InputRecord, to batch: inout ImportBatch
  ) {
    var general = ImportBatch.GeneralDocument(document: Document(id: id))
    do {
      var json = scanner.tape.value(at: 0, in: bytes)
      general.files = try takeFiles(from: &json)
      general.document = try Document(json: json, id: id)
    } catch {
      let reason = (error as? StoreError)?.importReason ?? "\(error)"
      return batch.add(place.problem(reason, line: record.line, column: record.column))
    }
    if isBackup, general.document.history == nil, let revision = general.document.revision {
      general.document.history = [revision]
    }
    batch.add(general, at: record)
  }

  /// Replaces attachments that an export wrote into files by stubs, and gives their paths.
  private func takeFiles(
    from json: inout JSON
  ) throws(StoreError) -> [(name: String, path: String)] {
    guard var attachments = json["_attachments"]?.objectValue else { return [] }
    var files: [(name: String, path: String)] = []
    for (name, value) in attachments {
      guard let file = value["file"]?.stringValue else { continue }
      guard let folder, !file.hasPrefix("/"), !file.split(separator: "/").contains("..") else {
        throw .badRequest("attachment '\(name)' names a file that cannot be read from here")
      }
      files.append((name, folder + "/" + file))
      var stub = value
      stub["stub"] = true
      attachments[name] = stub
    }
    if !files.isEmpty { json["_attachments"] = .object(attachments) }
    return files
  }
}

extension StoreError {
  /// What the store has against a record, in words that stand beside a line number.
  var importReason: String {
    switch self {
    case .invalidDocumentID(let reason), .invalidDocument(let reason), .badRequest(let reason):
      reason
    case .conflict(let id, _): "document '\(id)' is there already"
    case .missingStub(let id, let name):
      "document '\(id)' refers to attachment '\(name)', which is not in the input"
    case .damagedAttachment(let name, let detail): "attachment '\(name)' is damaged: \(detail)"
    default: "\(self)"
    }
  }
}
