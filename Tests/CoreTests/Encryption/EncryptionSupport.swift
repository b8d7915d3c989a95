import Foundation
import TestSupport

@testable import Core

/// Gives one key for every store, or none.
struct FixedKey: StoreKeyProvider {
  let key: StoreKey?

  func key(for store: LockedStore) throws -> StoreKey? { key }
}

/// A raw key, which opens a store without the slow derivation.
func rawKey(_ byte: UInt8) -> StoreKey {
  let secret = SecretBytes(count: StoreKey.size) { memory in
    for index in memory.indices { memory[index] = byte &+ UInt8(index) }
  }
  guard let key = StoreKey(raw: secret) else { preconditionFailure("32 bytes are a key") }
  return key
}

func passphrase(_ text: String) -> StoreKey {
  var bytes = Array(text.utf8)
  return StoreKey(passphrase: SecretBytes(wiping: &bytes))
}

/// Runs a test with a folder of stores that the raw key 1 opens.
func withEncryptedStores<Result>(_ body: (StoreDirectory) throws -> Result) throws -> Result {
  try withStores { stores in
    var stores = stores
    stores.keys = FixedKey(key: rawKey(1))
    return try body(stores)
  }
}

/// Every regular file below a folder.
func files(below path: String) throws -> [String] {
  var found: [String] = []
  for name in try Folder(path).names() {
    let inner = path + "/" + name
    if Folder(inner).exists { found += try files(below: inner) } else { found.append(inner) }
  }
  return found
}

/// The files below a folder whose raw bytes, or whose name, hold a text.
func files(below path: String, holding text: String) throws -> [String] {
  let wanted = Array(text.utf8)
  return try files(below: path).filter { file in
    try file.dropFirst(path.count).contains(text) || contains(readBytes(file), wanted)
  }
}

func contains(_ bytes: [UInt8], _ wanted: [UInt8]) -> Bool {
  Data(bytes).range(of: Data(wanted)) != nil
}

/// Copies the files of a store as a killed process would leave them: without the memory of its locks.
func copyAsKilled(_ stores: StoreDirectory, _ name: String, as copy: String) throws {
  let source = stores.folder(of: name).path
  let target = stores.folder(of: copy).path
  for file in try files(below: source) where !file.hasSuffix("-shm") {
    let path = target + file.dropFirst(source.count)
    try Folder(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])).create()
    try writeBytes(try readBytes(file), to: path)
  }
}

func hexBytes(_ text: String) -> [UInt8] {
  let digits = text.filter { $0.isHexDigit }.compactMap { $0.hexDigitValue.map(UInt8.init) }
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
