/// The usage lines of a command: its full name, what it needs, and what it may take.
enum Synopsis {
  /// One line for each form; the author's own lines when there are any.
  static func lines(for scope: CommandScope, inherited: [InheritedGroup]) -> [String] {
    if let usage = scope.configuration.usage, !usage.isEmpty {
      return usage.split(separator: "\n").map(String.init)
    }
    var parts = [scope.fullName]
    let visible = scope.definitions.filter(\.isVisible)
    var seen: Set<String> = []
    for definition in visible where definition.kind != .positional && definition.isRequired {
      guard seen.insert(definition.property).inserted else { continue }
      parts.append(alternatives(visible.filter { $0.property == definition.property }))
    }
    if !scope.configuration.subcommands.isEmpty {
      parts.append(scope.configuration.defaultSubcommand == nil ? "COMMAND" : "[COMMAND]")
    }
    parts += visible.filter { $0.kind == .positional }.map(operand)
    let hasOptions = !inherited.isEmpty || visible.contains { $0.kind != .positional }
    if hasOptions { parts.append("[options]") }
    return [parts.joined(separator: " ")]
  }

  /// An operand in the notation of the manual: `STORE`, `[DOC]`, `TEXT…`, `[FILE…]`.
  static func operand(_ definition: ArgumentDefinition) -> String {
    let name = definition.valueName + (definition.isRepeating ? "…" : "")
    return definition.isRequired ? name : "[\(name)]"
  }

  /// A required option, or the flags one of which is required: `(--keep | --newest)`.
  private static func alternatives(_ definitions: [ArgumentDefinition]) -> String {
    var forms = definitions.map(\.synopsis)
    for definition in definitions { forms += definition.invertedNames.map(\.spelling) }
    if forms.count > 1 { return "(" + forms.joined(separator: " | ") + ")" }
    return forms[0] + (definitions[0].isRepeating ? "…" : "")
  }
}
