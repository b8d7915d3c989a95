import Glibc

/// A file descriptor that is closed when it goes out of scope.
package struct OpenFile: ~Copyable, Sendable {
  package let descriptor: Int32
  /// For error texts.
  package let path: String

  /// Opens a file; `mode` counts when `flags` create it.
  ///
  /// The descriptor is closed on exec.
  package init(_ path: String, _ flags: Int32, mode: UInt32 = 0o600) throws(StoreError) {
    let descriptor = open(path, flags | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw StoreError(errno: errno, operation: "open", path: path) }
    self.descriptor = descriptor
    self.path = path
  }

  /// Takes a descriptor over, which was opened beneath a folder's handle.
  package init(adopting descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// Bytes in the file.
  package func size() throws(StoreError) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure("stat") }
    return Int(status.st_size)
  }

  /// Writes all of `bytes` at the file's position.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Glibc.write(
        descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw failure("write")
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Writes all of `bytes` at an offset.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StoreError) {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written))
      if count < 0 {
        if errno == EINTR { continue }
        throw failure("write")
      }
      written += count
    }
  }

  /// Writes all of `bytes` at an offset.
  package func write(_ bytes: [UInt8], at offset: Int) throws(StoreError) {
    let result = bytes.withUnsafeBytes { raw in
      Result { () throws(StoreError) in try write(raw, at: offset) }
    }
    try result.get()
  }

  /// Moves the file's position.
  package func seek(to offset: Int) throws(StoreError) {
    guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else { throw failure("seek") }
  }

  /// Reads up to the buffer's size at the file's position; 0 at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(StoreError) -> Int {
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      guard errno == EINTR else { throw failure("read") }
    }
  }

  /// Reads up to the buffer's size at an offset; 0 at the end.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StoreError) -> Int {
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      if count >= 0 { return count }
      guard errno == EINTR else { throw failure("read") }
    }
  }

  /// Waits until the file's content is on the disk.
  package func synchronize() throws(StoreError) {
    guard fsync(descriptor) == 0 else { throw failure("sync") }
  }

  package func failure(_ operation: String) -> StoreError {
    StoreError(errno: errno, operation: operation, path: path)
  }
}
