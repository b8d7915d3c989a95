import HTTP

/// Takes hostile forms apart: in one piece and in small ones, which must give the same.
///
/// The first byte of an input is the length of the pieces, the others are the body; its boundary is
/// `b`.
enum FormFuzz {
  static func run(_ input: UnsafeRawBufferPointer) {
    guard let first = input.first else { return }
    let body = Array(input.dropFirst())
    let whole = parts(body, pieces: max(1, body.count))
    let pieced = parts(body, pieces: 1 + Int(first & 0x3f))
    precondition(whole == pieced, "pieces give something else than the whole")
    for part in whole?.parts ?? [] {
      precondition(part.bytes.count <= body.count, "a part is longer than its form")
      // Names are taken apart as an upload's are.
      for field in part.headers {
        let disposition = ContentDisposition(field.value)
        _ = (disposition.name, disposition.filename, MediaType(field.value))
      }
    }
  }

  private struct Part: Equatable {
    var headers: HTTPHeaders
    var bytes: [UInt8] = []
    var isComplete = false
  }

  private struct Form: Equatable {
    var parts: [Part] = []
    var isComplete = false
  }

  /// The parts, or nil for what is no form.
  private static func parts(_ body: [UInt8], pieces: Int) -> Form? {
    var parser = MultipartParser(boundary: "b", partLimit: 20)
    var form = Form()
    do {
      for start in stride(from: 0, to: body.count, by: pieces) {
        try parser.parse(Array(body[start..<min(start + pieces, body.count)])) { event in
          switch event {
          case .begin(let headers): form.parts.append(Part(headers: headers))
          case .bytes(let bytes): form.parts[form.parts.count - 1].bytes += bytes
          case .end: form.parts[form.parts.count - 1].isComplete = true
          }
        }
      }
    } catch {
      return nil
    }
    form.isComplete = parser.isComplete
    return form
  }
}
