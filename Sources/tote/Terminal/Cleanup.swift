import Synchronization

/// What must be undone if the process is told to stop: temporary files, a silent terminal.
///
/// The signal watcher runs the actions, newest first, before the process dies by its signal.
enum Cleanup {
  private struct State: Sendable {
    var actions: [(id: Int, action: @Sendable () -> Void)] = []
    var next = 0
  }

  private static let state = Mutex(State())

  /// Adds an action and returns its number.
  static func add(_ action: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.next += 1
      state.actions.append((state.next, action))
      return state.next
    }
  }

  /// Forgets an action that is no longer needed.
  static func remove(_ id: Int) {
    state.withLock { $0.actions.removeAll { $0.id == id } }
  }

  /// Runs and forgets all actions.
  static func runAll() {
    let actions = state.withLock { state in
      defer { state.actions = [] }
      return state.actions
    }
    for entry in actions.reversed() { entry.action() }
  }
}
