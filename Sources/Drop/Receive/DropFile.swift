public import Core

/// A file that a sender offers, as its document describes it: hints, none of them to be trusted.
public struct DropFile: Sendable, Hashable {
  /// The document's id; an attachment's is `document/attachment`.
  public var id: String
  /// The file's name as the sender has it.
  public var name: String
  /// The folders of a sent folder above the file, outermost first; none for a single file.
  public var folders: [String]
  /// Bytes; nil when the sender does not know beforehand.
  public var size: Int64?
  /// When it was last changed.
  public var modified: Instant?
  /// The permission bits.
  public var mode: UInt32?
  /// The media type.
  public var type: String?
  /// The digest in hexadecimal, if the sender knows it already.
  public var sha256: String?
  /// How the sender calls itself.
  public var sender: String

  /// Describes a file.
  public init(id: String, name: String, size: Int64?, sender: String) {
    self.id = id
    self.name = name
    self.size = size
    self.sender = sender
    folders = []
  }

  /// The path as it is shown before the file has a place: what the sender calls it.
  public var displayPath: String { (folders + [name]).joined(separator: "/") }
}

extension DropFile {
  /// What the type of a file's document is called.
  static let datatype = "DropFile"

  /// The longest name of a sender that is kept, in characters.
  private static let senderLimit = 64

  /// Folders above a file; deeper ones are refused.
  private static let depthLimit = 32

  /// Bytes of a file: so many files of it as a session may have are still a number.
  static let sizeLimit: Int64 = 1 << 46

  /// Bytes of texts that are kept for the whole session.
  private enum TextLimit {
    static let id = 512
    static let name = 1 << 10
    static let path = 4 << 10
    static let type = 255
  }

  /// What is wrong with a description: a size that no file has, or a text that is too long to be kept;
  /// nil when nothing is.
  var problem: String? {
    guard (size ?? 0) <= Self.sizeLimit else { return "the file is too large" }
    let texts = [
      ("id", id.utf8.count, TextLimit.id), ("name", name.utf8.count, TextLimit.name),
      ("path", folders.reduce(0) { $0 + $1.utf8.count }, TextLimit.path),
      ("type", type?.utf8.count ?? 0, TextLimit.type),
    ]
    let long = texts.first { $0.1 > $0.2 }
    return long.map { "the file's \($0.0) has more than \($0.2) bytes" }
  }

  /// The files of a document: the one it describes, or each of its attachments.
  ///
  /// - Parameters:
  ///   - document: as it was pushed.
  ///   - sender: the sender's name when the document does not tell it.
  /// - Returns: none for a document that is no file and has none.
  /// - Throws: `DropFile.Fault` for a description that cannot be right.
  static func files(of document: Document, sender: String) throws(Fault) -> [DropFile] {
    guard !document.isDeleted, !DocumentID.isDesign(document.id) else { return [] }
    let members = document.body.members
    let name = members["sender"]?.stringValue.map(shortened) ?? sender
    let isFile = members["@datatype"] == .string(datatype) || document.attachments.isEmpty
    if isFile, let file = try described(by: members, id: document.id, sender: name) {
      return [file]
    }
    return document.attachments.map { attachment in
      // Attachments have paths in their names where PouchDB and others put folders: a name is a name.
      var file = DropFile(
        id: "\(document.id)/\(attachment.name)", name: attachment.name,
        size: attachment.knownLength, sender: name)
      file.type = attachment.contentType
      return file
    }
  }

  /// Why a description cannot be right.
  struct Fault: Error {
    var reason: String
  }

  private static func described(
    by members: JSONObject, id: String, sender: String
  ) throws(Fault) -> DropFile? {
    guard let name = members["name"]?.stringValue, let value = members["size"] else { return nil }
    guard let size = value.integerValue, size >= 0 else {
      throw Fault(reason: "'size' must be a number of bytes")
    }
    var file = DropFile(id: id, name: name, size: size, sender: sender)
    file.folders = try folders(members["path"])
    file.modified = members["modified"]?.stringValue.flatMap { Instant(rfc3339: $0) }
    file.mode = members["mode"]?.integerValue.map { UInt32(truncatingIfNeeded: $0 & 0o777) }
    file.type = members["type"]?.stringValue
    if let digest = members["sha256"]?.stringValue {
      guard isDigest(digest) else { throw Fault(reason: "'sha256' must be 64 hexadecimal digits") }
      file.sha256 = digest.lowercased()
    }
    return file
  }

  /// Whether a text is a SHA-256 in hexadecimal.
  static func isDigest(_ text: String) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy {
        switch $0 {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
      }
  }

  /// What stands before the last slash of a path, component by component.
  private static func folders(_ path: JSON?) throws(Fault) -> [String] {
    guard let path = path?.stringValue else { return [] }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count - 1 <= depthLimit else {
      throw Fault(reason: "'path' is deeper than \(depthLimit) folders")
    }
    // A path that climbs was not made by a sender of ours: nothing of it is to be believed.
    for part in parts where part.isEmpty || part == "." || part == ".." {
      throw Fault(reason: "'path' must be names with single slashes between them")
    }
    return Array(parts.dropLast())
  }

  private static func shortened(_ name: String) -> String { String(name.prefix(senderLimit)) }
}

extension Attachment {
  /// The decoded length, where the document tells it; a document without it reads as length 0.
  fileprivate var knownLength: Int64? {
    if case .inline(let bytes) = content, encoding == nil { return Int64(bytes.count) }
    return length > 0 ? Int64(length) : nil
  }
}
