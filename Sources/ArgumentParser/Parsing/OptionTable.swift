/// The spellings a command accepts, for one look-up per word.
struct OptionTable {
  enum Entry {
    case argument(ArgumentDefinition, isInverted: Bool)
    case help(HelpDetail)
    case version
  }

  private var longs: [String: Entry] = [:]
  private var shorts: [UInt8: Entry] = [:]

  /// Every spelling with whether it may be suggested, in the order declared.
  private(set) var spellings: [(text: String, isVisible: Bool)] = []

  /// A table of the definitions given; of two with one spelling the first counts.
  init(_ definitions: [ArgumentDefinition], helpNames: [OptionName], hasVersion: Bool) {
    for definition in definitions where definition.kind != .positional {
      for name in definition.names {
        insert(.argument(definition, isInverted: false), name, isVisible: definition.isVisible)
      }
      for name in definition.invertedNames {
        insert(.argument(definition, isInverted: true), name, isVisible: definition.isVisible)
      }
    }
    for name in helpNames {
      insert(.help(name.isLong ? .full : .brief), name, isVisible: true)
    }
    // The mirrored package has it too; like there, nothing mentions it.
    if helpNames.contains(where: \.isLong) {
      insert(.help(.everything), .long("help-hidden"), isVisible: false)
    }
    if hasVersion { insert(.version, .long("version"), isVisible: true) }
  }

  private mutating func insert(_ entry: Entry, _ name: OptionName, isVisible: Bool) {
    switch name {
    case .long(let word):
      guard longs[word] == nil else { return }
      longs[word] = entry
    case .short(let character, _):
      guard let byte = character.asciiValue, shorts[byte] == nil else { return }
      shorts[byte] = entry
    }
    spellings.append((name.spelling, isVisible))
  }

  func long(_ name: String) -> Entry? { longs[name] }

  func short(_ byte: UInt8) -> Entry? { shorts[byte] }

  /// Whether `word`, which starts with a dash, is spelled like a known option: a long name, or a
  /// cluster that the letters known make up.
  func recognizes(_ word: String) -> Bool {
    var bytes = Array(word.utf8.dropFirst())
    if bytes.first == UInt8(ascii: "-") {
      bytes.removeFirst()
      if let equals = bytes.firstIndex(of: UInt8(ascii: "=")) { bytes.removeSubrange(equals...) }
      return longs[String(decoding: bytes, as: UTF8.self)] != nil
    }
    for byte in bytes {
      guard let entry = shorts[byte] else { return false }
      if case .argument(let definition, _) = entry, definition.kind == .option { return true }
    }
    return !bytes.isEmpty
  }
}
