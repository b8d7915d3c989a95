extension Flag where Value: EnumerableFlag & Sendable {
  /// One flag per case, with a default.
  public init(
    wrappedValue: Value, exclusivity: FlagExclusivity = .exclusive, help: ArgumentHelp? = nil
  ) {
    self.init(initial: wrappedValue) { property, box in
      enumerated(property, Value.self, wrappedValue, exclusivity, help, box) { box.parsed = $0 }
    }
  }

  /// One flag per case, one of which must be given.
  public init(exclusivity: FlagExclusivity = .exclusive, help: ArgumentHelp? = nil) {
    self.init(initial: nil) { property, box in
      enumerated(property, Value.self, nil, exclusivity, help, box) { box.parsed = $0 }
    }
  }
}

extension Flag {
  /// One flag per case; `nil` when none is given.
  public init<T: EnumerableFlag & Sendable>(
    exclusivity: FlagExclusivity = .exclusive, help: ArgumentHelp? = nil
  ) where Value == T? {
    self.init(wrappedValue: nil, exclusivity: exclusivity, help: help)
  }

  /// One flag per case, and what stands for none; mostly `nil`.
  public init<T: EnumerableFlag & Sendable>(
    wrappedValue: T?, exclusivity: FlagExclusivity = .exclusive, help: ArgumentHelp? = nil
  ) where Value == T? {
    self.init(initial: .some(wrappedValue)) { property, box in
      enumerated(property, T.self, wrappedValue, exclusivity, help, box) { box.parsed = $0 }
    }
  }

  /// One flag per case; every one given is collected in order.
  public init<T: EnumerableFlag & Sendable>(help: ArgumentHelp? = nil) where Value == [T] {
    self.init(wrappedValue: [], help: help)
  }

  /// One flag per case; every one given is collected in order, with a default for none.
  public init<T: EnumerableFlag & Sendable>(
    wrappedValue: [T], help: ArgumentHelp? = nil
  ) where Value == [T] {
    self.init(initial: wrappedValue) { property, box in
      enumerated(property, T.self, nil, .chooseLast, help, box) {
        if box.parsed == nil { box.parsed = [] }
        box.parsed?.append($0)
      }
    }
  }
}

/// One definition per case of a flag type.
private func enumerated<Value, Case: EnumerableFlag & Sendable>(
  _ property: String, _ type: Case.Type, _ initial: Case?, _ exclusivity: FlagExclusivity,
  _ help: ArgumentHelp?, _ box: PropertyBox<Value>, set: @escaping (Case) -> Void
) -> [ArgumentDefinition] {
  type.allCases.map { value in
    let name = "\(value)"
    var definition = ArgumentDefinition(
      flag: property, names: type.name(for: value).names(for: name),
      help: type.help(for: value) ?? help, isRequired: box.initial == nil, box: box
    ) { spelling, _ in
      guard try exclusivity.accepts(name, spelling: spelling, in: box) else { return }
      set(value)
    }
    definition.isDefaultChoice = value == initial
    return definition
  }
}

/// Two spellings of one flag that cannot stand together.
struct ExclusiveSpellings: Error {
  let first: String
  let second: String
}

extension FlagExclusivity {
  /// Whether a flag seen as `spelling` may set its value, given what the box has seen before.
  ///
  /// `state` tells one meaning from another, so that the same flag twice is no contradiction.
  func accepts<Value>(
    _ state: String, spelling: String, in box: PropertyBox<Value>
  ) throws -> Bool {
    defer {
      if box.spelling == nil || rule == .chooseLast { box.spelling = state + " " + spelling }
    }
    guard let earlier = box.spelling else { return true }
    let parts = earlier.split(separator: " ", maxSplits: 1)
    switch rule {
    case .chooseLast: return true
    case .chooseFirst: return false
    case .exclusive:
      if parts[0] == state { return true }
      throw ExclusiveSpellings(first: String(parts[1]), second: spelling)
    }
  }
}
