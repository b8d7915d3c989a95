import CSQLite

/// A parameter of a statement.
package enum SQLiteValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByNilLiteral
{
  case null
  case integer(Int)
  case text(String)
  /// UTF-8 bytes bound as text.
  case utf8([UInt8])
  case blob([UInt8])

  package init(stringLiteral value: String) { self = .text(value) }
  package init(integerLiteral value: Int) { self = .integer(value) }
  package init(nilLiteral: ()) { self = .null }
}

/// A prepared statement of a `Connection`.
package final class Statement {
  package let handle: OpaquePointer
  private unowned let connection: Connection

  package init(_ connection: Connection, _ sql: String) throws(StoreError) {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw connection.error(code) }
    handle = prepared
    self.connection = connection
  }

  package func finalize() { sqlite3_finalize(handle) }

  /// Advances to the next row; false at the end.
  package func step() throws(StoreError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw connection.error(code)
    }
  }

  /// Makes the statement ready to run again, without parameters.
  package func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  // MARK: Parameters, from 1

  package func bind(_ index: Int32, _ value: SQLiteValue) {
    switch value {
    case .null: sqlite3_bind_null(handle, index)
    case .integer(let number): sqlite3_bind_int64(handle, index, Int64(number))
    case .text(let text): bind(index, text)
    case .utf8(let bytes): bind(index, utf8: bytes)
    case .blob(let bytes): bind(index, blob: bytes)
    }
  }

  package func bind(_ index: Int32, _ number: Int) {
    sqlite3_bind_int64(handle, index, Int64(number))
  }

  package func bind(_ index: Int32, _ text: String) {
    var text = text
    text.withUTF8 { bytes in
      bindCopy(index, UnsafeRawBufferPointer(bytes), asText: true)
    }
  }

  package func bind(_ index: Int32, utf8 bytes: [UInt8]) {
    bytes.withUnsafeBytes { bindCopy(index, $0, asText: true) }
  }

  package func bind(_ index: Int32, blob bytes: [UInt8]) {
    bytes.withUnsafeBytes { bindCopy(index, $0, asText: false) }
  }

  private func bindCopy(_ index: Int32, _ bytes: UnsafeRawBufferPointer, asText: Bool) {
    // An empty buffer has no address, and a null pointer would bind NULL.
    guard let base = bytes.baseAddress else {
      if asText {
        sqlite3_bind_text(handle, index, "", 0, tote_sqlite_transient())
      } else {
        sqlite3_bind_zeroblob(handle, index, 0)
      }
      return
    }
    if asText {
      let characters = base.assumingMemoryBound(to: CChar.self)
      sqlite3_bind_text(handle, index, characters, Int32(bytes.count), tote_sqlite_transient())
    } else {
      sqlite3_bind_blob(handle, index, base, Int32(bytes.count), tote_sqlite_transient())
    }
  }

  /// Binds text without a copy: the bytes must stay as they are until the statement is reset.
  package func bind(_ index: Int32, unowned text: UnsafeRawBufferPointer) {
    guard let base = text.baseAddress else { return bindCopy(index, text, asText: true) }
    sqlite3_bind_text(
      handle, index, base.assumingMemoryBound(to: CChar.self), Int32(text.count), nil)
  }

  // MARK: Columns, from 0

  package func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

  package func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  package func text(_ column: Int32) -> String {
    String(decoding: bytes(column), as: UTF8.self)
  }

  package func array(_ column: Int32) -> [UInt8] { [UInt8](bytes(column)) }

  /// The bytes of a text or blob, valid until the statement moves on.
  package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let base = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column)))
  }
}
