/// An option without a value: `--follow`, `-v`, `--no-due`, or one flag per case of a type.
///
/// ```swift
/// @Flag(help: "keep listing as changes come") var follow = false
/// @Flag(name: .shortAndLong, help: "say more; may be repeated") var verbose: Int
/// @Flag(inversion: .prefixedNo, help: "ask before changing much") var input = true
/// ```
@propertyWrapper
public struct Flag<Value> {
  let box: PropertyBox<Value>
  let make: @Sendable (String, PropertyBox<Value>) -> [ArgumentDefinition]

  init(
    initial: Value?,
    make: @escaping @Sendable (String, PropertyBox<Value>) -> [ArgumentDefinition]
  ) {
    box = PropertyBox(initial: initial)
    self.make = make
  }

  /// The state given on the command line, else the environment's, else the default.
  public var wrappedValue: Value {
    get { box.value }
    set { box.value = newValue }
  }
}

extension Flag: Sendable where Value: Sendable {}

extension Flag: ParsedProperty {
  func definitions(property name: String) -> [ArgumentDefinition] { make(name, box) }
}

extension Flag where Value == Bool {
  /// A flag that is off unless given.
  public init(wrappedValue: Bool, name: NameSpecification = .long, help: ArgumentHelp? = nil) {
    self.init(initial: wrappedValue) { property, box in
      var definition = ArgumentDefinition(
        flag: property, names: name.names(for: property), help: help, isRequired: false, box: box
      ) { _, isInverted in box.parsed = !isInverted }
      definition.isOnWithoutOpposite = wrappedValue
      return [definition]
    }
  }

  /// A flag with an opposite and a default.
  public init(
    wrappedValue: Bool, name: NameSpecification = .long, inversion: FlagInversion,
    exclusivity: FlagExclusivity = .chooseLast, help: ArgumentHelp? = nil
  ) {
    self.init(initial: wrappedValue) { property, box in
      invertible(property, name, inversion, exclusivity, help, box) { box.parsed = $0 }
    }
  }

  /// A flag with an opposite, one of which must be given.
  public init(
    name: NameSpecification = .long, inversion: FlagInversion,
    exclusivity: FlagExclusivity = .chooseLast, help: ArgumentHelp? = nil
  ) {
    self.init(initial: nil) { property, box in
      invertible(property, name, inversion, exclusivity, help, box) { box.parsed = $0 }
    }
  }
}

extension Flag where Value == Bool? {
  /// A flag with an opposite; `nil` when neither is given.
  public init(
    name: NameSpecification = .long, inversion: FlagInversion,
    exclusivity: FlagExclusivity = .chooseLast, help: ArgumentHelp? = nil
  ) {
    self.init(
      wrappedValue: nil, name: name, inversion: inversion, exclusivity: exclusivity, help: help)
  }

  /// A flag with an opposite, and its state when neither is given; mostly `nil`.
  public init(
    wrappedValue: Bool?, name: NameSpecification = .long, inversion: FlagInversion,
    exclusivity: FlagExclusivity = .chooseLast, help: ArgumentHelp? = nil
  ) {
    self.init(initial: .some(wrappedValue)) { property, box in
      invertible(property, name, inversion, exclusivity, help, box) { box.parsed = $0 }
    }
  }
}

extension Flag where Value == Int {
  /// A flag that counts how often it is given.
  public init(name: NameSpecification = .long, help: ArgumentHelp? = nil) {
    self.init(initial: 0) { property, box in
      var definition = ArgumentDefinition(
        flag: property, names: name.names(for: property), help: help, isRequired: false, box: box
      ) { _, _ in box.parsed = (box.parsed ?? 0) + 1 }
      definition.isRepeating = true
      definition.setFromEnvironment = { word in box.parsed = try convertedWord(word) as Int }
      return [definition]
    }
  }
}

/// The one definition of a flag and its opposite.
private func invertible<Value>(
  _ property: String, _ name: NameSpecification, _ inversion: FlagInversion,
  _ exclusivity: FlagExclusivity, _ help: ArgumentHelp?, _ box: PropertyBox<Value>,
  set: @escaping (Bool) -> Void
) -> [ArgumentDefinition] {
  let (on, off) = inversion.applied(to: name.names(for: property))
  var definition = ArgumentDefinition(
    flag: property, names: on, help: help, isRequired: box.initial == nil, box: box
  ) { spelling, isInverted in
    // The spelling decides, not the value: `--x -x` name the same thing twice and never clash.
    let state = isInverted ? "off" : "on"
    guard try exclusivity.accepts(state, spelling: spelling, in: box) else { return }
    set(!isInverted)
  }
  definition.invertedNames = off
  return [definition]
}

extension FlagInversion {
  /// The spellings that turn a flag on, and those that turn it off.
  func applied(to names: [OptionName]) -> (on: [OptionName], off: [OptionName]) {
    var on: [OptionName] = []
    var off: [OptionName] = []
    for name in names {
      switch (name, form) {
      case (.long(let word), .prefixedNo):
        on.append(name)
        off.append(.long("no-" + word))
      case (.long(let word), .prefixedEnableDisable):
        on.append(.long("enable-" + word))
        off.append(.long("disable-" + word))
      case (.short, _):
        on.append(name)
      }
    }
    return (on, off)
  }
}
