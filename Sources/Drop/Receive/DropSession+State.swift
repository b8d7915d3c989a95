import Core
import Sync

extension DropSession {
  /// What changes in a session.
  struct State {
    var phase = Phase.open
    var files: [UTF8Key: IncomingFile] = [:]
    /// As they were offered.
    var order: [IncomingFile] = []
    var documents: [UTF8Key: Set<RevisionID>] = [:]
    var locals: [UTF8Key: JSON] = [:]
    /// Who may send; the first to offer something.
    var bound: Sender?
    /// Senders the person did not want.
    var declined: Set<String> = []
    /// Files that something may still come of.
    var pending = 0
    var asking: [IncomingFile] = []
    var lastOffer = ContinuousClock.now
    /// The sender has offered all it has for now.
    var isSettled = false
    var lastActivity = ContinuousClock.now
    /// The sender tells its files by documents, all of them beforehand.
    var endsItself = false
    /// The sender has said that it is finished.
    var isDone = false
    var updates = 0
    /// Bytes of the files that something may still come of.
    var promised: Int64 = 0
    /// How many of these have come, when that was last added up.
    var arrived: (bytes: Int64, at: ContinuousClock.Instant)?
    /// Times the person said no.
    var refusals = 0
    /// Ids of files on their way, where only some may come.
    var underway: Set<UTF8Key> = []
    var totals = DropTotals()
    var nextNumber = 0
    /// The sender is finished; another one may take its place.
    var isReleased = false

    /// Makes room for another sender; files keep their numbers, and totals stay.
    mutating func forgetSender() {
      files = [:]
      order = []
      documents = [:]
      locals = [:]
      asking = []
      isDone = false
      promised = 0
      arrived = nil
      underway = []
    }

    /// Whether there is room for a file besides those that are promised, and for how much.
    ///
    /// What has come of those has its place already. Adding that up takes a look at each, so it is
    /// done where it matters, and once a second.
    mutating func room(for size: Int64, of free: Int64) -> Int64 {
      if size > free - promised, arrived.map({ .now - $0.at > .seconds(1) }) ?? true {
        let wanted = order.reduce(Int64(0)) { $0 + $1.wanted }
        arrived = (max(0, promised - wanted), .now)
      }
      return free - promised + (arrived?.bytes ?? 0)
    }

    /// Nothing more will come of a file.
    mutating func settle(_ file: DropFile) {
      pending -= 1
      promised -= file.size ?? 0
      arrived = nil
      underway.remove(UTF8Key(file.id))
    }
  }
}
