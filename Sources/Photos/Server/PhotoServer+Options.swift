import Glibc
public import HTTP

extension PhotoServer {
  /// Who can make an account.
  public enum Registration: Sendable, Equatable {
    /// Everybody who can connect.
    case open
    /// Who knows the code.
    case invite(code: String)
    /// Nobody; accounts are made by whoever runs the server.
    case closed

    /// The word that the API says.
    var word: String {
      switch self {
      case .open: "open"
      case .invite: "invite"
      case .closed: "closed"
      }
    }
  }

  /// What a sender may do a minute.
  public struct Rates: Sendable {
    /// Uploads of one user.
    public var uploads: Int64 = 1_200
    /// Bytes of one user's uploads.
    public var uploadBytes: Int64 = 4_000_000_000
    /// New accounts from one address.
    public var registrations: Int64 = 20

    /// The rates above; an address may upload twice as much as a user.
    public init() {}
  }

  /// How a library is served, and to whom.
  public struct Options: Sendable {
    /// Where to listen, with which limits; the body's is set by `photo`.
    public var server = HTTPServer.Options()
    /// What the service calls itself.
    public var name = "photos"
    /// The program's version.
    public var version = ""
    /// Who can make an account.
    public var registration = Registration.closed
    /// Whether reading needs a login, too.
    public var isPrivate = false
    /// Names of the server beside `localhost` and the machine's own.
    public var hosts: [String] = []
    /// The segments below which the tutorial's addresses lie: its app's base path.
    public var tutorialPath: [String] = []
    /// Numeric addresses of proxies whose `X-Forwarded-…` headers count.
    public var trustedProxies: [String] = []
    /// Whether metrics are for everybody, not only for this machine.
    public var sharesMetrics = false
    /// How photos are made.
    public var photo = PhotoOptions()
    /// A folder that only servers use, on the library's file system.
    public var spoolFolder: String
    /// Photos in work at a time.
    public var workers = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    /// What a sender may do a minute.
    public var rates = Rates()
    /// Tells the time, for tests.
    public var clock: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Told of every request once its answer begins, with the client's address and the user's name.
    public var log:
      (@Sendable (HTTPRequest, _ address: String, _ user: String?, _ status: Int) -> Void)?

    /// Nobody can make an account, everybody can read.
    public init(spoolFolder: String) { self.spoolFolder = spoolFolder }

    /// Bytes of a file that may be sent.
    var fileLimit: Int64 { Int64(photo.limits.bytes) }

    /// Bytes of a request that may be sent: a form is longer than its file.
    var bodyLimit: Int64 { fileLimit + (128 << 10) }

    /// The HTTP server's options.
    var listening: HTTPServer.Options {
      var options = server
      options.limits.bodyBytes = bodyLimit
      // Methods that only this server's routes can judge.
      options.methods = HTTPMethod.common.union(["TRACE", "CONNECT", "QUERY"])
      let limit = fileLimit
      options.refusal = { status, reason in
        var response =
          status == 413
          ? PhotoProblem.tooLarge(limit: limit).response
          : PhotoProblem(status, "bad_request", reason).response
        HeaderPolicy(isPrivate: true).apply(to: &response)
        return response
      }
      return options
    }
  }
}

/// What limits senders over time.
struct ServerLimiters: Sendable {
  let uploadsByUser: RateLimiter
  let uploadsByAddress: RateLimiter
  let bytesByUser: RateLimiter
  let bytesByAddress: RateLimiter
  let registrations: RateLimiter

  init(
    _ rates: PhotoServer.Rates, clock: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    uploadsByUser = RateLimiter(rates.uploads, clock: clock)
    uploadsByAddress = RateLimiter(2 * rates.uploads, clock: clock)
    bytesByUser = RateLimiter(rates.uploadBytes, clock: clock)
    bytesByAddress = RateLimiter(2 * rates.uploadBytes, clock: clock)
    registrations = RateLimiter(rates.registrations, clock: clock)
  }

  /// Takes bytes that have come already.
  func note(_ bytes: Int64, user: String, address: String) {
    _ = bytesByUser.take(bytes, by: RateLimiter.sender(user: user))
    _ = bytesByAddress.take(bytes, by: RateLimiter.sender(address: address))
  }

  /// Takes an upload of some bytes from a user's and an address's allowance.
  ///
  /// - Throws: 429 with the time after which there is something left.
  func takeUpload(_ bytes: Int64, user: String, address: String) throws(PhotoProblem) {
    let user = RateLimiter.sender(user: user)
    let address = RateLimiter.sender(address: address)
    let waits = [
      uploadsByUser.take(1, by: user), uploadsByAddress.take(1, by: address),
      bytesByUser.take(bytes, by: user), bytesByAddress.take(bytes, by: address),
    ].compactMap { $0 }
    guard let longest = waits.max() else { return }
    throw .busy("that is a lot of photos; go on in \(longest) s", retryAfter: longest)
  }
}
