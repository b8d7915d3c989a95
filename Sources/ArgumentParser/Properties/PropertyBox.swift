/// The storage behind a property wrapper: written while a command line is parsed, read afterwards.
///
/// A reference, so that the parser, which finds the wrappers through `Mirror`, can write into a
/// command it only holds a copy of.
final class PropertyBox<Value> {
  let initial: Value?
  var parsed: Value?

  /// The spelling that gave the value last, for the messages about flags that exclude each other.
  var spelling: String?

  init(initial: Value?) { self.initial = initial }

  var value: Value {
    get {
      guard let value = parsed ?? initial else {
        preconditionFailure("an argument without default was read before the command was parsed")
      }
      return value
    }
    set { parsed = newValue }
  }
}

// Boxes are written by one thread while a line is parsed, and only read once the command runs.
extension PropertyBox: @unchecked Sendable where Value: Sendable {}

/// A property wrapper the parser can find in a command.
protocol ParsedProperty {
  /// The arguments the property called `name` declares.
  func definitions(property name: String) -> [ArgumentDefinition]
}
