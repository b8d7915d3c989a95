import Core
import Glibc
import Synchronization

/// The documents of `_replicator`, each of which orders a replication.
///
/// Whoever may write there has them run; what became of them is written into them.
final class ReplicationOrders: Sendable {
  private let pool: StorePool
  private let jobs: ReplicationJobs
  private let state = Mutex(State())

  private struct State {
    var orders: [String: Order] = [:]
    var isLooking = false
    /// Something changed while the documents were read.
    var looksAgain = false
  }

  private struct Order {
    var definition: JSONObject
    var task: Task<Void, Never>
    var errors = 0
    var reason: String?
    var job: ReplicationJob?
  }

  static let storeName = "_replicator"

  init(_ pool: StorePool, jobs: ReplicationJobs) {
    self.pool = pool
    self.jobs = jobs
  }

  /// Starts what is ordered anew and ends what no longer is; returns at once.
  func look() {
    let isFirst = state.withLock { state in
      defer { state.isLooking = true }
      state.looksAgain = state.isLooking
      return !state.isLooking
    }
    guard isFirst else { return }
    Task {
      repeat {
        // Without the database, or when it cannot be read, nothing is ordered.
        compare((try? documents()) ?? [])
      } while state.withLock { state in
        defer { state.looksAgain = false }
        state.isLooking = state.looksAgain
        return state.looksAgain
      }
    }
  }

  /// Ends all: the server stops.
  func cancelAll() {
    for order in state.withLock({ Array($0.orders.values) }) { order.task.cancel() }
  }

  private func documents() throws -> [Document] {
    guard pool.contains(Self.storeName) else { return [] }
    var request = ListRequest()
    request.documents = ReadOptions()
    return try pool.store(Self.storeName).allDocuments(request).rows.compactMap(\.document)
      .filter { !DocumentID.isDesign($0.id) }
  }

  private func compare(_ documents: [Document]) {
    let open = documents.filter { document in
      let known = document.body.members["_replication_state"]?.stringValue
      return known != "completed" && known != "failed"
    }
    state.withLock { state in
      let present = Set(open.map(\.id))
      for (id, order) in state.orders where !present.contains(id) {
        order.task.cancel()
        state.orders[id] = nil
      }
      for document in open {
        let definition = Self.definition(document)
        if let known = state.orders[document.id] {
          if known.definition == definition { continue }
          known.task.cancel()
        }
        let id = document.id
        let task = Task { await carryOut(id, definition) }
        state.orders[id] = Order(definition: definition, task: task)
      }
    }
  }

  /// What the user wrote, without what was added here.
  private static func definition(_ document: Document) -> JSONObject {
    JSONObject(
      document.body.members.filter { !DocumentBody.replicationMembers.contains($0.key) })
  }

  // MARK: Running

  private func carryOut(_ id: String, _ definition: JSONObject) async {
    let request: ReplicationRequest
    do {
      request = try ReplicationRequest(definition)
      guard !request.source.isLocal, !request.target.isLocal else {
        // Who may write here need not have rights elsewhere on this server.
        throw Refusal.badRequest("local endpoints are not supported: give URLs")
      }
    } catch {
      return note(id, definition, ["_replication_state": "failed"], reason: error)
    }
    let owner = definition["owner"]?.stringValue
    var pause = 5
    while !Task.isCancelled {
      do {
        let job = try jobs.start(
          try await jobs.prepare(request, owner: owner, documentID: id))
        state.withLock { $0.orders[id]?.job = job }
        _ = try await withTaskCancellationHandler {
          try await job.result()
        } onCancel: {
          job.cancel()
        }
        guard !request.options.isContinuous else { return }
        return note(
          id, definition,
          [
            "_replication_state": "completed", "_replication_id": .string(job.id),
            "_replication_stats": .object(job.info),
          ])
      } catch is CancellationError {
        return
      } catch {
        state.withLock { state in
          state.orders[id]?.errors += 1
          state.orders[id]?.reason = Refusal(error).reason
        }
        // An order that fails is tried again, ever less often.
        try? await Task.sleep(for: .seconds(pause))
        pause = min(pause * 2, 3_600)
      }
    }
  }

  /// Writes into the document what became of it, unless it was changed meanwhile.
  private func note(
    _ id: String, _ definition: JSONObject, _ added: JSONObject, reason: (any Error)? = nil
  ) {
    do {
      let store = try pool.store(Self.storeName)
      var document = try store.document(id)
      guard Self.definition(document) == definition else { return }
      var members = definition
      for (key, value) in added { members[key] = value }
      members["_replication_state_time"] = .string(
        ReplicationJobs.timestamp(Int64(time(nil))))
      if let reason {
        members["_replication_state_reason"] = .string(Refusal(reason).reason)
      }
      document.body = try DocumentBody(members)
      try store.put(document)
    } catch {
      // Changed or deleted meanwhile: the next look sees what is wanted now.
      look()
    }
    state.withLock { $0.orders[id] = nil }
  }

  // MARK: Shapes

  /// The rows of `_scheduler/docs`.
  func rows() throws -> [JSONObject] {
    let orders = state.withLock { $0.orders }
    return try documents().map { document in
      let members = document.body.members
      let order = orders[document.id]
      let request = try? ReplicationRequest(members)
      let finished = members["_replication_state"]?.stringValue
      var info = members["_replication_stats"] ?? .null
      if let job = order?.job { info = .object(job.info) }
      if let reason = order?.reason ?? members["_replication_state_reason"]?.stringValue {
        info = ["error": .string(reason)]
      }
      let phase = finished ?? (order?.reason != nil ? "crashing" : "running")
      return [
        "database": .string(Self.storeName), "doc_id": .string(document.id),
        "id": order?.job.map { .string($0.id) } ?? members["_replication_id"] ?? .null,
        "source": request.map { .string($0.source.name) } ?? .null,
        "target": request.map { .string($0.target.name) } ?? .null, "source_proxy": .null,
        "target_proxy": .null, "state": .string(phase), "info": info,
        "error_count": .integer(Int64(order?.errors ?? 0)),
        "last_updated": members["_replication_state_time"]
          ?? order?.job.map { .string(ReplicationJobs.timestamp($0.startTime)) } ?? .null,
        "start_time": order?.job.map { .string(ReplicationJobs.timestamp($0.startTime)) } ?? .null,
        "node": .string(Listener.node),
      ]
    }
  }
}
