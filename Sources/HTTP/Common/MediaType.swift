/// A `Content-Type`, or another header of a value with parameters (RFC 9110 §5.6.6).
public struct MediaType: Sendable, Equatable {
  /// The value before the parameters, in lower case: `multipart/related`.
  public var value: String
  /// The parameters, names in lower case, values unquoted.
  public var parameters: [String: String]

  /// Parses `text/plain; charset="utf-8"`; parameters without `=` are left out.
  public init(_ text: String) {
    let pieces = Self.split(Array(text.utf8), at: UInt8(ascii: ";"))
    value = asciiLowercased(trimmingBlanks(pieces[0]))
    parameters = [:]
    for piece in pieces.dropFirst() {
      guard let equals = piece.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = asciiLowercased(trimmingBlanks(piece[..<equals]))
      // The first of a repeated parameter counts.
      if parameters[name] == nil {
        parameters[name] = Self.unquoted(trimmingBlanks(piece[(equals + 1)...]))
      }
    }
  }

  /// Whether the type is this one, `multipart/mixed`, or of this kind, `multipart/*`.
  public func matches(_ pattern: String) -> Bool {
    guard pattern.utf8.last == UInt8(ascii: "*") else { return sameBytes(value, pattern) }
    return value.utf8.starts(with: pattern.utf8.dropLast())
  }

  /// Splits at a byte that stands outside quotes.
  static func split(_ bytes: [UInt8], at separator: UInt8) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var start = 0
    var isQuoted = false
    var isEscaped = false
    for (index, byte) in bytes.enumerated() {
      if isEscaped {
        isEscaped = false
      } else if isQuoted, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == 0x22 {
        isQuoted.toggle()
      } else if byte == separator, !isQuoted {
        pieces.append(bytes[start..<index])
        start = index + 1
      }
    }
    pieces.append(bytes[start...])
    return pieces
  }

  /// The text of a token or a quoted string, its escapes resolved.
  static func unquoted(_ bytes: ArraySlice<UInt8>) -> String {
    guard bytes.first == 0x22 else { return bytes.text }
    var result: [UInt8] = []
    var isEscaped = false
    for byte in bytes.dropFirst() {
      if isEscaped {
        result.append(byte)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == 0x22 {
        break
      } else {
        result.append(byte)
      }
    }
    return result.text
  }

  /// A token as it is, anything else in quotes.
  static func quoted(_ text: String) -> String {
    if isToken(text) { return text }
    var result: [UInt8] = [0x22]
    for byte in cleanFieldValue(text).utf8 {
      if byte == 0x22 || byte == UInt8(ascii: "\\") { result.append(UInt8(ascii: "\\")) }
      result.append(byte)
    }
    result.append(0x22)
    return result.text
  }
}

/// What a client accepts, with its preferences (RFC 9110 §12.4).
public enum HTTPAccept {
  /// The quality from 0 to 1 that a list header, `Accept-Encoding: gzip;q=0.5, *`, gives to a token;
  /// nil when the list does not name it, nor `*`.
  public static func quality(of token: String, in headers: HTTPHeaders, header: String) -> Double? {
    var wildcard: Double?
    for line in headers.values(of: header) {
      for piece in MediaType.split(Array(line.utf8), at: UInt8(ascii: ",")) {
        let item = MediaType(piece.text)
        let quality = item.parameters["q"].flatMap { Double($0) } ?? 1
        if sameBytes(item.value, asciiLowercased(token)) { return quality }
        if sameBytes(item.value, "*") { wildcard = quality }
      }
    }
    return wildcard
  }

  /// Whether `Accept` names this media type, its kind (`multipart/*`) or anything (`*/*`) with a
  /// quality above 0; true when there is no `Accept` at all.
  public static func accepts(_ type: String, in headers: HTTPHeaders) -> Bool {
    guard headers.contains("Accept") else { return true }
    return headers.values(of: "Accept").contains { line in
      MediaType.split(Array(line.utf8), at: UInt8(ascii: ",")).contains { piece in
        let item = MediaType(piece.text)
        guard item.parameters["q"].flatMap({ Double($0) }) ?? 1 > 0 else { return false }
        return sameBytes(item.value, "*/*") || MediaType(type).matches(item.value)
      }
    }
  }
}
