import Core
import Foundation
import Testing

struct JSONCodingTests {
  private struct Everything: Codable, Equatable {
    enum Kind: String, Codable { case one, two }
    struct Inner: Codable, Equatable {
      var x: Int
    }
    var text = "é\n"
    var whole = -5
    var small: Int8 = 7
    var large = UInt64.max
    var real = 2.0
    var single: Float = 0.1
    var flag = true
    var missing: String?
    var kind = Kind.two
    var list = [1, 2]
    var inner = Inner(x: 1)
    var nested = [[Inner(x: 2)], []]
    var table = ["k": 1.5]
    var date = Date(timeIntervalSince1970: 1_796_033_100.25)
    var json: JSON = ["a": [nil, .bigInteger("99999999999999999999")]]
    var identifier = UUID(uuidString: "00000000-0000-0000-0000-000000000001")
  }

  @Test("a value of every kind survives the way to JSON and back")
  func roundTrip() throws {
    let json = try JSON(encoding: Everything())
    #expect(
      json.serialized()
        == #"{"text":"é\n","whole":-5,"small":7,"large":18446744073709551615,"real":2.0,"single":0.1,"#
        + #""flag":true,"kind":"two","list":[1,2],"inner":{"x":1},"nested":[[{"x":2}],[]],"table":{"k":1.5},"#
        + #""date":"2026-11-30T10:05:00.250Z","json":{"a":[null,99999999999999999999]},"#
        + #""identifier":"00000000-0000-0000-0000-000000000001"}"#)
    #expect(try json.decode(Everything.self) == Everything())
  }

  @Test("values that are no objects work too")
  func scalars() throws {
    #expect(try JSON(encoding: 1) == 1)
    #expect(try JSON(encoding: "a") == "a")
    #expect(try JSON(encoding: [true, nil] as [Bool?]) == [true, nil])
    #expect(try JSON(encoding: Optional<Int>.none) == .null)
    #expect(try JSON.array([1, nil, 3]).decode([Int?].self) == [1, nil, 3])
    #expect(try JSON.double(3).decode(Int.self) == 3)
    #expect(try JSON.integer(3).decode(Double.self) == 3)
    #expect(try JSON.null.decode(JSON.self) == .null)
  }

  @Test("what does not fit is refused with its path")
  func mismatches() throws {
    #expect(throws: EncodingError.self) { try JSON(encoding: Double.nan) }
    #expect(throws: DecodingError.self) { try JSON.integer(300).decode(UInt8.self) }
    #expect(throws: DecodingError.self) { try JSON.double(1.5).decode(Int.self) }
    #expect(throws: DecodingError.self) { try JSON.string("1").decode(Int.self) }
    let error = #expect(throws: DecodingError.self) {
      try JSON.object(["k": [1, "x"]]).decode([String: [Int]].self)
    }
    guard case .typeMismatch(_, let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["k", "1"])
  }

  @Test(
    "dates are RFC 3339 in UTC",
    arguments: [
      (0.0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"),
      (-1, "1969-12-31T23:59:59Z"), (-0.5, "1969-12-31T23:59:59.500Z"),
      (253_402_300_799, "9999-12-31T23:59:59Z"), (-62_135_596_800, "0001-01-01T00:00:00Z"),
    ])
  func dates(seconds: Double, text: String) throws {
    let date = Date(timeIntervalSince1970: seconds)
    #expect(try JSON(encoding: date) == .string(text))
    #expect(try JSON.string(text).decode(Date.self) == date)
  }

  @Test("other forms of dates are read, and nonsense is refused")
  func otherDates() throws {
    let date = Date(timeIntervalSince1970: 1_796_033_100)
    for text in ["2026-11-30T11:05:00+01:00", "2026-11-30t04:35:00.000-05:30"] {
      #expect(try JSON.string(text).decode(Date.self) == date)
    }
    #expect(
      try JSON.string("2026-11-30").decode(Date.self) == Date(timeIntervalSince1970: 1_795_996_800))
    for text in [
      "", "2026-13-01", "2026-02-29", "2026-11-30T10:05:00", "2026-11-30T25:00:00Z",
      "2026-11-30T10:05:00.Z", "2026-11-30T10:05:00Zx", "1.5",
    ] {
      #expect(throws: DecodingError.self) { try JSON.string(text).decode(Date.self) }
    }
    #expect(throws: EncodingError.self) {
      try JSON(encoding: Date.distantPast.addingTimeInterval(-1e11))
    }
  }

  @Test("JSON goes through encoders of other libraries")
  func foreignCoders() throws {
    let value: JSON = ["a": [1, 1.5, "x", nil, true, [:]]]
    let data = try JSONEncoder().encode(value)
    #expect(try JSON(parsing: Array(data)) == value)
    #expect(try JSONDecoder().decode(JSON.self, from: data) == value)
  }

  private class Base: Codable {
    var a = 1
    init() {}
  }

  private final class Derived: Base {
    var b = 2
    private enum CodingKeys: CodingKey { case b }
    override init() { super.init() }
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      b = try container.decode(Int.self, forKey: .b)
      try super.init(from: container.superDecoder())
    }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(b, forKey: .b)
      try super.encode(to: container.superEncoder())
    }
  }

  @Test("an inherited class encodes its superclass under super")
  func inheritance() throws {
    let json = try JSON(encoding: Derived())
    #expect(json == ["b": 2, "super": ["a": 1]])
    #expect(try json.decode(Derived.self).a == 1)
  }
}
