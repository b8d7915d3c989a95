/// How an option or flag is spelled on the command line, derived from its property or given literally.
///
/// `[.long, .customShort("x")]`, `.shortAndLong` and the literal `"--hex -x"` are all specifications.
public struct NameSpecification: ExpressibleByArrayLiteral, ExpressibleByStringLiteral, Sendable {
  /// One spelling of a specification.
  public struct Element: Hashable, Sendable {
    enum Form: Hashable, Sendable {
      case long
      case customLong(String)
      case short
      case customShort(Character, allowingJoined: Bool)
    }

    let form: Form

    /// The property's name with two dashes: `dueBefore` becomes `--due-before`.
    public static var long: Element { Element(form: .long) }

    /// The first letter of the property's name with one dash.
    public static var short: Element { Element(form: .short) }

    /// The given name with two dashes.
    public static func customLong(_ name: String) -> Element {
      Element(form: .customLong(name))
    }

    /// The given letter with one dash; `allowingJoined` lets `-n=5` mean the value `5`.
    public static func customShort(_ character: Character, allowingJoined: Bool = false) -> Element
    {
      Element(form: .customShort(character, allowingJoined: allowingJoined))
    }
  }

  let elements: [Element]

  /// A specification of the given spellings, in the order help shows them.
  public init(_ elements: some Sequence<Element>) { self.elements = Array(elements) }

  /// A specification of the given spellings, in the order help shows them.
  public init(arrayLiteral elements: Element...) { self.elements = elements }

  /// Spellings written out, separated by spaces: `"--hex -x"`.
  public init(stringLiteral value: String) {
    elements = value.split(separator: " ").map { word in
      let name = word.drop { $0 == "-" }
      return name.count == 1 && !word.hasPrefix("--")
        ? .customShort(name[name.startIndex]) : .customLong(String(name))
    }
  }

  /// The property's name with two dashes.
  public static var long: NameSpecification { [.long] }

  /// The first letter of the property's name with one dash.
  public static var short: NameSpecification { [.short] }

  /// Both the first letter and the whole name.
  public static var shortAndLong: NameSpecification { [.short, .long] }

  /// The given name with two dashes.
  public static func customLong(_ name: String) -> NameSpecification { [.customLong(name)] }

  /// The given letter with one dash; `allowingJoined` lets `-n=5` mean the value `5`.
  public static func customShort(
    _ character: Character, allowingJoined: Bool = false
  ) -> NameSpecification {
    [.customShort(character, allowingJoined: allowingJoined)]
  }

  /// The concrete spellings for a property called `property`.
  func names(for property: String) -> [OptionName] {
    elements.compactMap { element in
      switch element.form {
      case .long: .long(kebabCase(property))
      case .customLong(let name): .long(name)
      case .short: property.first.map { .short($0, allowingJoined: false) }
      case .customShort(let character, let joined): .short(character, allowingJoined: joined)
      }
    }
  }
}

/// One concrete spelling: `--due` or `-d`.
enum OptionName: Hashable, Sendable {
  case long(String)
  case short(Character, allowingJoined: Bool)

  /// The spelling as typed, dashes included.
  var spelling: String {
    switch self {
    case .long(let name): "--" + name
    case .short(let character, _): "-" + String(character)
    }
  }

  var isLong: Bool {
    if case .long = self { true } else { false }
  }
}

/// `dueBefore` and `DueBefore` → `due-before`; `URLPrefix` → `url-prefix`.
func kebabCase(_ name: String) -> String {
  var result = ""
  let characters = Array(name)
  for (index, character) in characters.enumerated() {
    if character == "_" {
      result.append("-")
      continue
    }
    if character.isUppercase, index > 0 {
      let afterLower = !characters[index - 1].isUppercase && characters[index - 1] != "_"
      let beforeLower = index + 1 < characters.count && characters[index + 1].isLowercase
      if afterLower || (beforeLower && characters[index - 1].isUppercase) { result.append("-") }
    }
    result += character.lowercased()
  }
  return result
}
