private import CSQLite

/// The functions that queries call from SQL.
///
/// They exist at run time only: nothing in a store's file
/// names them, so that any SQLite tool can check and open it.
///
/// | function | value |
/// | --- | --- |
/// | `tote_match(matcher, body, id, rev)` | whether the document matches |
/// | `tote_sort_key(keys, body, id)` | the document's sort key |
/// | `tote_index_key(keys, body, id, rev)` | the document's key in an index, NULL when it has none |
enum QueryFunctions {
  /// What `tote_match` is given: the selector, and how often it was asked.
  final class Matcher {
    let matcher: ByteMatcher
    var examined = 0

    init(_ matcher: ByteMatcher) {
      self.matcher = matcher
    }
  }

  /// Adds the functions to a connection.
  static func register(in connection: Connection) throws {
    try add("tote_match", arguments: 4, to: connection) { context, _, values in
      guard let values, let object: Matcher = argument(values[0]) else {
        return sqlite3_result_null(context)
      }
      object.examined += 1
      let matches = object.matcher.matches(bytes(values[1]), id: bytes(values[2])) {
        RevisionID(encoded: bytes(values[3]))?.description ?? ""
      }
      sqlite3_result_int(context, matches ? 1 : 0)
    }
    try add("tote_sort_key", arguments: 3, to: connection) { context, _, values in
      guard let values, let object: FieldKeys = argument(values[0]) else {
        return sqlite3_result_null(context)
      }
      var key: [UInt8] = []
      object.appendSortKey(body: bytes(values[1]), id: bytes(values[2]), to: &key)
      result(context, key)
    }
    try add("tote_index_key", arguments: 4, to: connection) { context, _, values in
      guard let values, let object: FieldKeys = argument(values[0]) else {
        return sqlite3_result_null(context)
      }
      var key: [UInt8] = []
      let hasKey = object.appendIndexKey(
        body: bytes(values[1]), id: bytes(values[2]),
        revision: { RevisionID(encoded: bytes(values[3]))?.description ?? "" }, to: &key)
      if hasKey { result(context, key) } else { sqlite3_result_null(context) }
    }
  }

  /// Binds an object that a function is to be given; it must live until the statement is reset.
  static func bind(_ object: AnyObject, at index: Int32, to statement: Statement) {
    let pointer = Unmanaged.passUnretained(object).toOpaque()
    pointerType.withUTF8Buffer { name in
      name.withMemoryRebound(to: CChar.self) {
        _ = sqlite3_bind_pointer(statement.handle, index, pointer, $0.baseAddress, nil)
      }
    }
  }

  private typealias Function =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  private static func add(
    _ name: String, arguments: Int32, to connection: Connection, _ function: Function
  ) throws {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    let code = sqlite3_create_function_v2(
      connection.handle, name, arguments, flags, nil, function, nil, nil, nil)
    guard code == SQLITE_OK else { throw connection.error(code) }
  }
}

// A C function may capture nothing, not even the type: so these stand alone.

/// Objects are passed by SQLite's pointer passing, so that SQL text cannot forge one.
private let pointerType: StaticString = "tote\0"

private func argument<Object: AnyObject>(_ value: OpaquePointer?) -> Object? {
  let pointer = pointerType.withUTF8Buffer { name in
    name.withMemoryRebound(to: CChar.self) { sqlite3_value_pointer(value, $0.baseAddress) }
  }
  guard let pointer else { return nil }
  return Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()
}

@inline(__always)
private func bytes(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
  let base = sqlite3_value_blob(value)
  return UnsafeRawBufferPointer(start: base, count: Int(sqlite3_value_bytes(value)))
}

private func result(_ context: OpaquePointer?, _ key: [UInt8]) {
  key.withUnsafeBytes {
    guard let base = $0.baseAddress else { return sqlite3_result_zeroblob(context, 0) }
    sqlite3_result_blob(context, base, Int32($0.count), tote_sqlite_transient())
  }
}
