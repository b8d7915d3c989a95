import Core
import HTTP

/// What happens on a photo server, told as it happens; see ``PhotoServerClient/events(after:)``.
public struct PhotoServerEvents: AsyncSequence, Sendable {
  /// A photo added or removed.
  public typealias Element = PhotoEvent

  private let last: PhotoID?
  private let connect: @Sendable (_ last: String?) async throws -> HTTPBody

  init(
    last: PhotoID?, connect: @escaping @Sendable (_ last: String?) async throws -> HTTPBody
  ) {
    self.last = last
    self.connect = connect
  }

  /// Starts reading; the first connection is made when the first event is asked for.
  public func makeAsyncIterator() -> Iterator {
    Iterator(last: last?.description, connect: connect)
  }

  /// Reads the events one after another.
  public struct Iterator: AsyncIteratorProtocol {
    private let connect: @Sendable (_ last: String?) async throws -> HTTPBody
    private var parser: EventStreamParser
    private var body: HTTPBody.Iterator?
    private var waiting: ArraySlice<EventStreamParser.Event> = []
    private var wasConnected = false
    /// Connections in a row that brought nothing.
    private var failures = 0

    private static let shortestPause = 1000
    private static let longestPause = 30_000

    init(
      last: String?, connect: @escaping @Sendable (_ last: String?) async throws -> HTTPBody
    ) {
      self.connect = connect
      parser = EventStreamParser(lastID: last)
    }

    /// The next event; nil when the task was cancelled.
    public mutating func next() async throws -> PhotoEvent? {
      while !Task.isCancelled {
        while let event = waiting.popFirst() {
          if let event = Self.event(event) { return event }
        }
        do {
          try await read()
        } catch is CancellationError {
          return nil
        } catch {
          try await pause(after: error)
        }
      }
      return nil
    }

    /// Reads some bytes, over a new connection if there is none.
    private mutating func read() async throws {
      if body == nil {
        parser = EventStreamParser(lastID: parser.lastID)
        body = try await connect(parser.lastID).makeAsyncIterator()
        wasConnected = true
      }
      guard let chunk = try await body?.next() else {
        throw HTTPError.connectionClosed(text: "the event stream ended")
      }
      failures = 0
      do {
        waiting = try parser.feed(chunk)[...]
      } catch {
        throw PhotoServerError.unexpected(detail: "an event is too long")
      }
    }

    /// Waits before the next connection, or gives up where another would not help.
    private mutating func pause(after error: any Error) async throws {
      body = nil
      var wanted: Int?
      switch error {
      case PhotoServerError.refused(let status, _, _, let seconds):
        guard status == 429 || status >= 500, wasConnected else { throw error }
        wanted = seconds.map { Swift.min($0, 3600) * 1000 }
      case is PhotoServerError: throw error
      default: guard wasConnected else { throw error }
      }
      failures += 1
      let own = Self.shortestPause << Swift.min(failures - 1, 5)
      let named = wanted ?? (failures == 1 ? parser.retry : nil)
      let time = Swift.min(Swift.max(named ?? own, 0), Self.longestPause)
      // Clients that lost one server do not all come back at once.
      let spread = time / 2 + Int.random(in: 0...time / 2)
      try? await Task.sleep(for: .milliseconds(Swift.max(wanted ?? 0, spread)))
    }

    private static func event(_ event: EventStreamParser.Event) -> PhotoEvent? {
      guard let json = try? JSON(parsing: event.data) else { return nil }
      switch event.name {
      case "added": return Photo(json: json).map { .added($0) }
      case "removed": return json["id"]?.stringValue.flatMap(PhotoID.init).map { .removed($0) }
      default: return nil
      }
    }
  }
}
