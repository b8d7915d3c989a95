/// A command on the path of a line: an instance of it, and the arguments found in that.
///
/// Only the commands on the path are ever looked into, so that a start costs little however many
/// commands there are.
struct CommandScope {
  let type: any ParsableCommand.Type
  let configuration: CommandConfiguration
  let command: any ParsableCommand

  /// The name of the command in messages, with those of its parents.
  let path: [String]

  /// The command's own arguments and those of its groups, in the order declared.
  private(set) var definitions: [ArgumentDefinition] = []

  /// The groups to validate, without the inherited ones.
  private(set) var groups: [any GroupProperty] = []

  /// The inherited groups this command declares first, with their arguments.
  private(set) var inherited: [InheritedGroup] = []

  /// Looks into a new instance of `type`, whose inherited groups become those of its parents.
  init(_ type: any ParsableCommand.Type, path: [String], adopting parents: [InheritedGroup]) {
    self.type = type
    configuration = type.configuration
    command = type.init()
    self.path = path
    collect(from: command, title: nil, isHidden: false, parents: parents)
  }

  /// Adds the arguments found in `container`, a command or a group.
  private mutating func collect(
    from container: any ParsableArguments, title: String?, isHidden: Bool,
    parents: [InheritedGroup]
  ) {
    let variables = (Swift.type(of: container) as? any EnvironmentDefaults.Type)?.environment ?? [:]
    for child in Mirror(reflecting: container).children {
      if let property = child.value as? any ParsedProperty, let label = child.label {
        let name = String(label.drop { $0 == "_" })
        for var definition in property.definitions(property: name) {
          definition.group = title
          definition.isInHiddenGroup = isHidden
          definition.environment = variables[name]
          definitions.append(definition)
        }
      } else if let group = child.value as? any GroupProperty {
        collect(group: group, isHidden: isHidden, parents: parents)
      }
    }
  }

  private mutating func collect(
    group: any GroupProperty, isHidden: Bool, parents: [InheritedGroup]
  ) {
    guard group.group is any InheritedOptions else {
      collect(
        from: group.group, title: group.title, isHidden: isHidden || group.isHidden,
        parents: parents)
      groups.append(group)
      return
    }
    // One instance serves the whole path: what any command parses into it, all of them read.
    if parents.contains(where: { group.adopt($0.property.group) }) { return }
    let before = definitions.count
    collect(
      from: group.group, title: group.title, isHidden: isHidden || group.isHidden, parents: parents)
    let own = Array(definitions[before...])
    definitions.removeSubrange(before...)
    inherited.append(InheritedGroup(property: group, definitions: own))
  }
}

/// A group of options every command below accepts too.
struct InheritedGroup {
  let property: any GroupProperty
  let definitions: [ArgumentDefinition]
}

extension CommandScope {
  var positionals: [ArgumentDefinition] { definitions.filter { $0.kind == .positional } }

  /// The name of the command with its parents', as typed.
  var fullName: String { path.joined(separator: " ") }

  /// Whether the command does nothing but hold others.
  var isBareGroup: Bool {
    !configuration.subcommands.isEmpty && configuration.defaultSubcommand == nil
  }
}

extension CommandConfiguration {
  /// The child with the given name or alias.
  func subcommand(named word: String) -> (any ParsableCommand.Type)? {
    for group in [ungroupedSubcommands] + groupedSubcommands.map(\.subcommands) {
      for type in group {
        let configuration = type.configuration
        if (configuration.commandName ?? type._commandName) == word
          || configuration.aliases.contains(word)
        {
          return type
        }
      }
    }
    return nil
  }

  /// The names of the children that may be mentioned, aliases after names.
  var visibleNames: [String] {
    let visible = subcommands.filter { $0.configuration.shouldDisplay }
    return visible.map { $0._commandName } + visible.flatMap { $0.configuration.aliases }
  }
}
