extension OutputFile {
  /// Opens a file that must be new, unless the person says otherwise.
  ///
  /// - Throws: `CommandError` when it exists or cannot be created.
  static func new(
    _ path: String, mode: UInt32 = 0o666, overwrite: Bool
  ) throws(CommandError) -> OutputFile {
    do {
      return try OutputFile(path: path, mode: mode, replaces: overwrite)
    } catch  where error.code == "exists" {
      throw CommandError(
        error.exitClass, error.code, error.message,
        hint: "choose another name, or pass '--overwrite'")
    }
  }
}
