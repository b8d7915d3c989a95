import Core
import Glibc

/// One file that is to be added.
enum PhotoInput: Sendable {
  /// A file, by its path.
  case file(String)
  /// Bytes that came on standard input.
  case bytes([UInt8])
  /// A folder that could not be read.
  case unreadable(InputError)

  /// The file as it is named to people.
  var name: String {
    switch self {
    case .file(let path): path
    case .bytes: "-"
    case .unreadable(let error): error.name
    }
  }
}

/// Finds the files that a command line means.
struct PhotoInputs {
  private static let endings = [".jpg", ".jpeg", ".jpe", ".jfif"]
  /// One more than any photo may have, so that a larger one is told from one that just fits.
  private static let byteLimit = 64_000_001

  private let context: Context

  init(_ context: Context) { self.context = context }

  /// Lists the files, those of folders sorted by their names' bytes.
  ///
  /// - Parameters:
  ///   - operands: files, folders, `-`.
  ///   - namesFrom: a file with further names; `-` is standard input.
  /// - Returns: the files. What is named is listed whatever it is, what is found in folders when its
  ///   name is that of a JPEG.
  /// - Throws: `InputError` when the list or standard input cannot be read.
  func list(_ operands: [String], namesFrom: String?) throws -> [PhotoInput] {
    var inputs: [PhotoInput] = []
    for operand in operands {
      if operand == "-" {
        let bytes = try context.streams.input.readAll(limit: Self.byteLimit)
        inputs.append(.bytes(bytes))
      } else {
        try append(operand, to: &inputs)
      }
    }
    if let namesFrom {
      for name in try names(in: namesFrom) { try append(name, to: &inputs) }
    }
    return inputs
  }

  private func names(in path: String) throws -> [String] {
    let bytes = try path == "-" ? context.streams.input.readAll() : readFile(path)
    let separator: UInt8 = bytes.contains(0) ? 0 : 0x0A
    return bytes.split(separator: separator).map { line in
      String(
        decoding: separator == 0x0A && line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
    }
  }

  private func append(_ path: String, to inputs: inout [PhotoInput]) throws {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      return inputs.append(.file(path))
    }
    let before = inputs.count
    var others = 0
    walk(path, to: &inputs, others: &others)
    guard inputs.count == before, others > 0 else { return }
    try context.note(
      "there is no JPEG file in '\(path)'; \(counted(others, "other file")) left out")
  }

  /// Links to folders are not followed: they may lead in circles.
  private func walk(_ folder: String, to inputs: inout [PhotoInput], others: inout Int) {
    guard let directory = opendir(folder) else {
      return inputs.append(.unreadable(InputError(name: folder, errno: errno)))
    }
    let names = Folder.names(in: directory)
    closedir(directory)
    // Left out is also what other systems put beside each picture ('._IMG.jpg').
    for name in names where name.utf8.first != UInt8(ascii: ".") {
      let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: walk(path, to: &inputs, others: &others)
      case S_IFREG where isPicture(name): inputs.append(.file(path))
      case S_IFLNK where isPicture(name) && isFile(path): inputs.append(.file(path))
      default: others += 1
      }
    }
  }

  private func isPicture(_ name: String) -> Bool {
    let name = name.lowercased()
    return Self.endings.contains { name.hasSuffix($0) }
  }

  private func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
