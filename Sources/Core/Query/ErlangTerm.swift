/// JSON values as CouchDB's messages show them: in Erlang's notation of its own values.
enum ErlangTerm {
  /// As `~w` prints: a string is its bytes, `<<104,105>>`.
  static func compact(_ value: JSON) -> String { text(of: value, readable: false) }

  /// As `~p` prints: a string is `<<"hi">>` when its bytes are printable.
  static func readable(_ value: JSON) -> String { text(of: value, readable: true) }

  private static func text(of value: JSON, readable: Bool) -> String {
    switch value {
    case .null: "null"
    case .bool(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    case .bigInteger(let digits): digits
    case .double(let number): decimal(number)
    case .string(let string): binary(string, readable: readable)
    case .array(let elements):
      "[" + elements.map { text(of: $0, readable: readable) }.joined(separator: ",") + "]"
    case .object(let members):
      "{["
        + members.map { key, value in
          "{\(binary(key, readable: readable)),\(text(of: value, readable: readable))}"
        }.joined(separator: ",") + "]}"
    }
  }

  private static func binary(_ string: String, readable: Bool) -> String {
    let isPrintable = string.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    guard readable, isPrintable, !string.isEmpty else {
      return "<<" + string.utf8.map { String($0) }.joined(separator: ",") + ">>"
    }
    var escaped = ""
    for character in string {
      if character == "\"" || character == "\\" { escaped.append("\\") }
      escaped.append(character)
    }
    return "<<\"\(escaped)\">>"
  }

  /// Erlang writes an exponent without a plus and always with a fraction: `1.0e300`.
  private static func decimal(_ number: Double) -> String {
    let text = number.description
    guard let mark = text.firstIndex(of: "e") else { return text }
    let mantissa = text[..<mark]
    let exponent = text[text.index(after: mark)...]
    return (mantissa.contains(".") ? String(mantissa) : mantissa + ".0") + "e"
      + (exponent.first == "+" ? exponent.dropFirst() : exponent)
  }
}
