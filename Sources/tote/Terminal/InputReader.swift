import Core
import Glibc

/// Reads a descriptor, or bytes given by a test.
final class InputReader: Sendable {
  private let descriptor: Int32
  /// Whether a person types into this stream.
  let isTerminal: Bool

  /// Creates a reader of an open descriptor, which stays open.
  init(descriptor: Int32) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
  }

  /// The descriptor, for calls that stream from it themselves.
  var fileDescriptor: Int32 { descriptor }

  /// Reads the next bytes into `buffer`, waiting for at least one.
  ///
  /// - Returns: the number of bytes, 0 at the end.
  /// - Throws: `InputError` with the `errno`.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if errno != EINTR { throw InputError(name: "standard input", errno: errno) }
    }
  }

  /// Reads to the end.
  func readAll(limit: Int = .max) throws(InputError) -> [UInt8] {
    var bytes: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
    defer { buffer.deallocate() }
    while bytes.count < limit {
      let count = try read(into: buffer)
      if count == 0 { break }
      bytes.append(contentsOf: buffer[0..<count])
    }
    return bytes
  }

  /// Reads one line without its line feed, byte by byte so that nothing behind it is taken away
  /// from the next reader; `nil` at the end.
  func readLine() throws(InputError) -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = try withUnsafeMutableBytes(of: &byte) { raw throws(InputError) in
        try read(into: raw)
      }
      if count == 0 { return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
      if byte == 0x0A { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
  }
}

extension InputReader {
  /// The longest secret a person types, in bytes; the terminal's own limit is the same.
  private static let secretLimit = 4_095

  /// Reads one line into memory that is wiped; nil at the end.
  func readSecretLine() throws(InputError) -> SecretBytes? {
    var count = 0
    var hasEnded = false
    let line = try SecretBytes(count: Self.secretLimit) { memory throws(InputError) in
      while count < memory.count {
        let next = UnsafeMutableRawBufferPointer(rebasing: memory[count..<(count + 1)])
        guard try read(into: next) == 1 else {
          hasEnded = count == 0
          return
        }
        if next[0] == 0x0A { return }
        count += 1
      }
    }
    if hasEnded { return nil }
    return SecretBytes(count: count) { memory in
      line.withUnsafeBytes {
        memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
      }
    }
  }
}

/// Input that could not be read.
struct InputError: Error, Sendable {
  /// What was read: a path, or `standard input`.
  let name: String
  /// The reason.
  let errno: Int32
}

/// Reads a whole file.
///
/// - Parameter path: the path as typed.
/// - Returns: its bytes.
/// - Throws: `InputError` when it cannot be opened or read.
func readFile(_ path: String) throws(InputError) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw InputError(name: path, errno: errno) }
  defer { close(descriptor) }
  var status = stat()
  var bytes: [UInt8] = []
  if fstat(descriptor, &status) == 0 { bytes.reserveCapacity(Int(status.st_size)) }
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 1)
  defer { buffer.deallocate() }
  while true {
    let count = read(descriptor, buffer.baseAddress, buffer.count)
    if count == 0 { return bytes }
    if count < 0 {
      if errno == EINTR { continue }
      throw InputError(name: path, errno: errno)
    }
    bytes.append(contentsOf: buffer[0..<count])
  }
}
