import Core
import TestSupport
import Testing

/// Text forms recorded from CouchDB 3.5: what was put, and what a following GET gave back.
struct JSONVectorTests {
  /// The one number we keep and CouchDB does not: it flushes denormal doubles to zero.
  private static let exceptions: Set<String> = ["denormal"]

  private static func cases() throws -> [JSON] {
    try #require(ReplayFile("rev_ids").json["cases"]?.arrayValue)
  }

  @Test("numbers, strings, escapes and duplicate keys are written as CouchDB writes them")
  func texts() throws {
    var compared = 0
    for item in try Self.cases() {
      let name = try #require(item["name"]?.stringValue)
      guard let get = item["get_text"]?.stringValue, let put = item["body_text"]?.stringValue,
        case .object(var body) = try JSON(parsing: put), !Self.exceptions.contains(name)
      else { continue }
      body["_id"] = nil
      if body.keys.contains(where: { $0.hasPrefix("_") }) { continue }
      var expected: JSONObject = ["_id": item["id"] ?? .null, "_rev": item["rev"] ?? .null]
      for member in body { expected.append(key: member.key, value: member.value) }
      #expect(UTF8Key(JSON.object(expected).serialized()) == UTF8Key(get), "case \(name)")
      compared += 1
    }
    #expect(compared > 35)
  }

  @Test("what CouchDB refuses as invalid JSON is refused")
  func refusals() throws {
    var compared = 0
    for item in try Self.cases() {
      guard item["status"] == 400, let put = item["body_text"]?.stringValue else { continue }
      #expect(throws: JSONError.self, "case \(item["name"] ?? .null)") { try JSON(parsing: put) }
      compared += 1
    }
    #expect(compared == 2)
  }

  @Test("bodies that got the same revision in CouchDB have the same canonical form, others not")
  func canonicalForms() throws {
    var forms: [String: String] = [:]
    for item in try Self.cases() {
      guard let name = item["name"]?.stringValue, let put = item["body_text"]?.stringValue,
        item["status"] == 201, case .object(var body) = try JSON(parsing: put)
      else { continue }
      body["_id"] = nil
      if body.keys.contains(where: { $0.hasPrefix("_") }) { continue }
      let form = JSON.object(body).serialized(.canonical)
      forms[name] = form
      // CouchDB hashes members in their order and flushes denormals: two differences by design.
      if let twin = item["same_rev_as"]?.stringValue, let other = forms[twin], name != "denormal" {
        #expect(UTF8Key(form) == UTF8Key(other), "\(name) and \(twin)")
      }
    }
    #expect(forms["one_int"] != forms["one_float"])
    #expect(forms["nfc"].map(UTF8Key.init) != forms["nfd"].map(UTF8Key.init))
    #expect(forms["order_ab"] == forms["order_ba"])
    #expect(forms["neg_zero_float"] == forms["zero_float"])
  }
}
