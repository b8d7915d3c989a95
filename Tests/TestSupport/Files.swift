import Glibc

/// Reads a whole file.
///
/// - Parameter path: its path.
/// - Returns: its bytes.
/// - Throws: ``SupportError/system(_:_:)``.
public func readBytes(_ path: String) throws -> [UInt8] {
  let number = open(path, O_RDONLY | O_CLOEXEC)
  guard number >= 0 else { throw SupportError.system("open \(path)", errno) }
  let descriptor = Descriptor(number)
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = read(descriptor.number, &buffer, buffer.count)
    if count < 0 && errno == EINTR { continue }
    guard count >= 0 else { throw SupportError.system("read \(path)", errno) }
    guard count > 0 else { return bytes }
    bytes.append(contentsOf: buffer[..<count])
  }
}

/// Reads a whole file as UTF-8.
///
/// - Parameter path: its path.
/// - Returns: its text; invalid bytes show as U+FFFD.
/// - Throws: ``SupportError/system(_:_:)``.
public func readText(_ path: String) throws -> String {
  String(decoding: try readBytes(path), as: UTF8.self)
}

/// Writes a file, replacing what it held.
///
/// - Parameters:
///   - bytes: its new content.
///   - path: its path; the folder must exist.
/// - Throws: ``SupportError/system(_:_:)``.
public func writeBytes(_ bytes: [UInt8], to path: String) throws {
  let number = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
  guard number >= 0 else { throw SupportError.system("open \(path)", errno) }
  let descriptor = Descriptor(number)
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor.number, $0.baseAddress, $0.count) }
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else { throw SupportError.system("write \(path)", errno) }
    rest = rest.dropFirst(count)
  }
}

/// Writes a text file, replacing what it held.
///
/// - Parameters:
///   - text: its new content.
///   - path: its path; the folder must exist.
/// - Throws: ``SupportError/system(_:_:)``.
public func writeText(_ text: String, to path: String) throws {
  try writeBytes(Array(text.utf8), to: path)
}
