import Core
import Testing

struct DocumentScannerTests {
  /// What the scanner says about a text: id, revision, deleted flag, members, body.
  private struct Parts: Equatable {
    var id = ""
    var revision = ""
    var isDeleted = false
    var members: DocumentScanner.Members = []
    var body = "{}"
  }

  private func parts(of text: String) throws -> Parts {
    var scanner = DocumentScanner()
    var id = ByteBuffer()
    var revision = ByteBuffer()
    var body = ByteBuffer()
    try Array(text.utf8).withUnsafeBytes { bytes in
      try scanner.scan(bytes)
      scanner.appendID(in: bytes, to: &id)
      scanner.appendRevision(in: bytes, to: &revision)
      scanner.appendBody(in: bytes, to: &body)
    }
    return Parts(
      id: id.string(), revision: revision.string(), isDeleted: scanner.isDeleted,
      members: scanner.members, body: body.string())
  }

  @Test("reserved members are picked out, the rest is the canonical body")
  func reserved() throws {
    #expect(try parts(of: "{}") == Parts())
    #expect(
      try parts(
        of: #"{"b":1, "_id":"x\u0041\n", "a":{"z":1,"_y":2}, "_rev":"1-a","_deleted":true}"#)
        == Parts(
          id: "xA\n", revision: "1-a", isDeleted: true, members: [.id, .revision, .deleted],
          body: #"{"a":{"_y":2,"z":1},"b":1}"#))
    #expect(
      try parts(of: #"{"\u005fid":"x","_deleted":false,"_conflicts":[],"\u005a":1}"#)
        == Parts(id: "x", members: [.id, .deleted, .informative], body: #"{"Z":1}"#))
    #expect(try parts(of: #"{"_id":"a","_id":"b"}"#).id == "b")
  }

  @Test("a scanner is reusable: nothing of the document before remains")
  func reuse() throws {
    var scanner = DocumentScanner()
    let first = Array(#"{"_id":"a","_rev":"1-a","_deleted":true,"_attachments":{"f":{}}}"#.utf8)
    try first.withUnsafeBytes { bytes in
      try scanner.scan(bytes)
      #expect(scanner.attachments(in: bytes) == ["f": [:]])
      #expect(scanner.revisions(in: bytes) == nil)
    }
    try Array("{}".utf8).withUnsafeBytes { try scanner.scan($0) }
    let (members, isDeleted) = (scanner.members, scanner.isDeleted)
    #expect(members.isEmpty)
    #expect(!isDeleted)
  }

  @Test(
    "what is no document is refused with the reason",
    arguments: [
      ("[]", .notAnObject), ("1", .notAnObject),
      ("{\"_id\":1}", .wrongType(member: "_id", expected: "a string")),
      ("{\"_rev\":null}", .wrongType(member: "_rev", expected: "a string")),
      ("{\"_deleted\":1}", .wrongType(member: "_deleted", expected: "true or false")),
      ("{\"_attachments\":[]}", .wrongType(member: "_attachments", expected: "an object")),
      ("{\"_revisions\":[]}", .wrongType(member: "_revisions", expected: "an object")),
      ("{\"_foo\":1}", .unknownReserved(member: "_foo")),
      ("{\"\\u005ffoo\":1}", .unknownReserved(member: "_foo")),
      ("{\"_\":1}", .unknownReserved(member: "_")),
    ] as [(String, DocumentScanner.Fault)])
  func faults(text: String, expected: DocumentScanner.Fault) {
    #expect(throws: expected) { try parts(of: text) }
  }

  @Test("a syntax error comes with its place")
  func syntax() {
    let error = #expect(throws: DocumentScanner.Fault.self) { try parts(of: "{\"a\":\n}") }
    #expect(
      error
        == .json(JSONError(reason: .unexpectedCharacter("}"), offset: 6, line: 2, column: 1)))
  }
}
