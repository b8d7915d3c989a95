/// The commands from the root to one of them, looked into without a command line.
struct CommandPath {
  private(set) var scopes: [CommandScope] = []
  private(set) var inherited: [InheritedGroup] = []
  private(set) var helpNames: [OptionName] = []

  var scope: CommandScope { scopes[scopes.count - 1] }

  init(_ commands: [any ParsableCommand.Type]) {
    for type in commands { append(type) }
  }

  mutating func append(_ type: any ParsableCommand.Type) {
    let path = (scopes.last?.path ?? []) + [type._commandName]
    let scope = CommandScope(type, path: path, adopting: inherited)
    let names = scope.configuration.helpNames ?? (scopes.isEmpty ? .shortAndLong : nil)
    scopes.append(scope)
    inherited += scope.inherited
    if let names { helpNames = names.names(for: "help") }
  }

  /// The options the module adds to every command.
  var builtIns: [ArgumentDescription] {
    let names = helpNames.filter { !$0.isLong } + helpNames.filter(\.isLong)
    var result: [ArgumentDescription] = []
    if !names.isEmpty {
      result.append(
        ArgumentDescription(
          builtIn: names.map(\.spelling), abstract: "show help; -h shows less"))
    }
    if !scopes[0].configuration.version.isEmpty {
      result.append(ArgumentDescription(builtIn: ["--version"], abstract: "show the version"))
    }
    return result
  }
}
