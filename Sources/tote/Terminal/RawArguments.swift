/// The words of the command line as the kernel passed them.
enum RawArguments {
  /// The words after the program's name.
  ///
  /// `CommandLine.arguments` silently replaces broken UTF-8; this refuses it, so that no file, id or
  /// text is ever touched under a name nobody typed.
  ///
  /// - Throws: `CommandError` with status 64 naming the argument's position.
  static func words() throws(CommandError) -> [String] {
    let pointers = CommandLine.unsafeArgv
    var words: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let pointer = pointers[index] else { break }
      guard let word = String(validatingCString: pointer) else {
        throw .usage("argument \(index) is not valid UTF-8")
      }
      words.append(word)
    }
    return words
  }
}
