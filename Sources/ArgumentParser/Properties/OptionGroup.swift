/// Arguments declared in another type, taken in as if they were declared here.
///
/// ```swift
/// @OptionGroup(title: "Paging") var paging: PagingOptions
/// ```
/// A group whose type is `InheritedOptions` is shared: every command below accepts its options, and a
/// command that declares the same group reads the same values.
@propertyWrapper
public struct OptionGroup<Value: ParsableArguments> {
  let box: PropertyBox<Value>
  let title: String?
  let isHidden: Bool

  /// A group; its options are listed under `title` in help when there is one.
  public init(title: String = "", visibility: ArgumentVisibility = .default) {
    box = PropertyBox(initial: Value())
    self.title = title.isEmpty ? nil : title
    isHidden = visibility != .default
  }

  /// The group with its parsed values.
  public var wrappedValue: Value {
    get { box.value }
    set { box.value = newValue }
  }
}

extension OptionGroup: Sendable where Value: Sendable {}

/// A property wrapper that holds a group, whatever its type.
protocol GroupProperty {
  var title: String? { get }
  var isHidden: Bool { get }
  var group: any ParsableArguments { get }

  /// Takes the instance another command parsed into, when it is of this group's type.
  func adopt(_ instance: any ParsableArguments) -> Bool

  /// Runs the group's own checks, keeping what they change.
  func validate() throws
}

extension OptionGroup: GroupProperty {
  var group: any ParsableArguments { box.value }

  func adopt(_ instance: any ParsableArguments) -> Bool {
    guard let instance = instance as? Value else { return false }
    box.value = instance
    return true
  }

  func validate() throws { try box.value.validate() }
}
