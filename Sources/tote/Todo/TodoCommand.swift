import ArgumentParser

/// The noun `todo`; alone it lists.
struct TodoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "todo", abstract: "keep a list of things to do",
    discussion: """
      Todos are documents of type TodoItem in the store 'todos', which is made when it is needed; \
      --store names another one, a URL, or a saved remote. A todo is named by its short id, the \
      beginning of its document's id: the same on every machine, and never reused. Any longer \
      beginning works too.
      """,
    subcommands: [
      TodoAdd.self, TodoList.self, TodoShow.self, TodoDone.self, TodoUndo.self, TodoEdit.self,
      TodoRemove.self, TodoPurge.self, TodoSync.self, TodoImportCommand.self,
      TodoExportCommand.self,
    ],
    defaultSubcommand: TodoList.self)
}
