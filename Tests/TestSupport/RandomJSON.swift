public import Core

/// Random JSON values and texts that reach for the edges: every kind of number, escapes, keys that
/// differ only in their normal form, empty containers, deep nesting.
extension SeededGenerator {
  /// A random value.
  ///
  /// - Parameter depth: how many levels of containers it may have.
  /// - Returns: any kind of value.
  public mutating func json(depth: Int = 4) -> JSON {
    switch Int.random(in: 0..<(depth > 0 ? 11 : 8), using: &self) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &self))
    case 2: return .integer(Int64.random(in: -100...100, using: &self))
    case 3: return .integer(Int64(bitPattern: next()))
    case 4: return .double(double())
    case 5:
      let digits = String(next()) + String(next())
      return .bigInteger((Bool.random(using: &self) ? "-9" : "9") + digits + "000000000000")
    case 6, 7: return .string(text())
    case 8, 9:
      var object = JSONObject()
      for _ in 0..<Int.random(in: 0..<7, using: &self) {
        object[text()] = json(depth: depth - 1)
      }
      return .object(object)
    default:
      return .array((0..<Int.random(in: 0..<5, using: &self)).map { _ in json(depth: depth - 1) })
    }
  }

  /// A random object with up to `count` members.
  public mutating func jsonObject(upTo count: Int = 8, depth: Int = 3) -> JSONObject {
    var object = JSONObject()
    for _ in 0..<Int.random(in: 0...count, using: &self) { object[text()] = json(depth: depth) }
    return object
  }

  /// A random string of up to 40 scalars, most of them from a small alphabet so that they collide.
  public mutating func text() -> String {
    let pieces = [
      "a", "b", "c", "key", "\u{e9}", "e\u{301}", "日", "😀", "\"", "\\", "\n", "\0", "\u{1f}", "/",
      "\u{7f}", "\u{85}", "\u{2028}", "\u{FFFD}", "\u{10FFFF}", " ", "_", "$", ".",
    ]
    let count = Int.random(
      in: 0..<(Int.random(in: 0..<8, using: &self) == 0 ? 40 : 4), using: &self)
    return (0..<count).map { _ in pieces.randomElement(using: &self) ?? "" }.joined()
  }

  /// A random finite double: whole, short decimal, or any bits.
  public mutating func double() -> Double {
    switch Int.random(in: 0..<4, using: &self) {
    case 0: return Double(Int.random(in: -1000...1000, using: &self))
    case 1: return Double(Int.random(in: -100_000...100_000, using: &self)) / 1000
    case 2: return Double(Int.random(in: 0...999, using: &self)) * 1e-7
    default:
      let any = Double(bitPattern: next())
      return any.isFinite ? any : 0.5
    }
  }

  /// A JSON text of `value` as a careless program may write it: white space anywhere, escapes where
  /// none are needed, numbers with needless exponents and zeros.
  public mutating func sloppyText(of value: JSON) -> String {
    space() + sloppy(value) + space()
  }

  private mutating func sloppy(_ value: JSON) -> String {
    switch value {
    case .string(let text): return sloppyString(text)
    case .array(let elements):
      let items = elements.map { space() + sloppy($0) + space() }
      return "[" + (items.isEmpty ? space() : items.joined(separator: ",")) + "]"
    case .object(let object):
      var items = object.map {
        space() + sloppyString($0.key) + space() + ":" + space() + sloppy($0.value) + space()
      }
      // A duplicate that loses, since the other member of its name comes later.
      if let first = object.first, Int.random(in: 0..<4, using: &self) == 0 {
        items.insert(sloppyString(first.key) + ":[0]", at: 0)
      }
      return "{" + (items.isEmpty ? space() : items.joined(separator: ",")) + "}"
    case .double(let number):
      let text = number.description
      switch Int.random(in: 0..<3, using: &self) {
      case 0: return text.contains("e") ? text.uppercased() : text + "00"
      case 1: return text.contains("e") ? text : text + "e0"
      default: return text
      }
    default: return value.serialized()
    }
  }

  private mutating func space() -> String {
    ["", "", "", " ", "\n", "\t", "\r\n"].randomElement(using: &self) ?? ""
  }

  private mutating func sloppyString(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
      if mustEscape || Int.random(in: 0..<6, using: &self) == 0 {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16, uppercase: Bool.random(using: &self))
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
