import ArgumentParser
import Core
import HTTP
import Photos

/// The library that a command works on.
struct LibraryOptions: ParsableArguments, Sendable {
  /// The store that is a library when none is named.
  static let defaultName = "photos"

  @Option(help: .library, completion: .storeNames)
  var library: String?

  init() {}
}

/// The library or the service that a command works on.
struct PhotoPlaceOptions: ParsableArguments, Sendable {
  @Option(help: .library, completion: .storeNames)
  var library: String?

  @Option(
    help: ArgumentHelp("a photo service instead, by its address", valueName: "URL"))
  var server: String?

  @Option(
    help: ArgumentHelp("a file with a token for the service; '-' reads it", valueName: "F"),
    completion: .file())
  var tokenFile: String?

  @Option(
    help: ArgumentHelp("the public key that the service must have", valueName: "sha256//…"))
  var pin: TLSPin?

  init() {}

  mutating func validate() throws {
    if library != nil && server != nil { throw ValidationError.exclusive("--library", "--server") }
    for (isGiven, name) in [(tokenFile != nil, "--token-file"), (pin != nil, "--pin")]
    where isGiven && server == nil {
      throw ValidationError("'\(name)' is for a service: give its address with '--server'")
    }
  }
}

extension ArgumentHelp {
  /// The help of `--library`.
  static var library: ArgumentHelp {
    ArgumentHelp(
      "the store with the photos: a name, a URL or a saved remote; else 'photos'",
      valueName: "NAME")
  }
}

extension Context {
  /// Opens what photos are read from.
  ///
  /// - Parameter options: the library or service; a token is used when there is one.
  /// - Returns: the place.
  /// - Throws: what opening throws.
  func photosToRead(_ options: PhotoPlaceOptions) async throws -> PhotoPlace {
    guard let server = options.server else {
      return .library(try await photoLibrary(options.library), user: "")
    }
    let token = try photoToken(options)
    return .server(
      try photoClient(server, options, token: token), token == nil ? .none : .token)
  }

  /// Opens a service as somebody who may change it.
  ///
  /// A token says who that is; without one the password of `user` is asked for, or is a line of
  /// standard input.
  ///
  /// - Parameters:
  ///   - server: the service's address.
  ///   - options: where a token is.
  ///   - user: who logs in without one.
  /// - Returns: the place.
  /// - Throws: a usage error when nobody is named; what logging in throws.
  func photosToChange(
    at server: String, _ options: PhotoPlaceOptions, user: String?
  ) async throws -> PhotoPlace {
    if let token = try photoToken(options) {
      return .server(try photoClient(server, options, token: token), .token)
    }
    guard let user else {
      throw CommandError.usage(
        "the service wants to know who asks",
        hint: "give '--user NAME', or a token by '--token-file F' or TOTE_PHOTO_TOKEN")
    }
    let client = try photoClient(server, options, token: nil)
    let password =
      try streams.input.isTerminal
      ? prompt.secret(
        "password of \(Sanitizer.terminalSafe(user)): ", option: "--token-file F")
      : streams.input.readLine()
    guard let password, !password.isEmpty else {
      throw CommandError.usage(
        "the password of '\(user)' is missing", hint: "give it as a line of standard input")
    }
    try await client.logIn(user, password: password)
    return .server(client, .begun)
  }

  private func photoClient(
    _ server: String, _ options: PhotoPlaceOptions, token: String?
  ) throws -> PhotoServerClient {
    let url = try WebURL(server)
    guard url.user == nil, url.password == nil else {
      throw CommandError.usage(
        "names and passwords do not belong into the address of a service",
        hint: "give '--user NAME', or a token by '--token-file F' or TOTE_PHOTO_TOKEN")
    }
    var settings = HTTPClient.Options()
    if let pin = options.pin { settings.trust = .pin(pin) }
    settings.takeProxies(from: environment.proxies)
    return PhotoServerClient(url, client: try HTTPClient(settings), token: token)
  }

  private func photoToken(_ options: PhotoPlaceOptions) throws -> String? {
    guard let path = options.tokenFile else { return environment.nonEmpty("TOTE_PHOTO_TOKEN") }
    let bytes = try path == "-" ? Array((streams.input.readLine() ?? "").utf8) : readFile(path)
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    let token = String(decoding: line, as: UTF8.self).trimmingSpaces()
    // The text goes into a header, which other characters could end.
    guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw CommandError.invalidInput(
        "there is no token in '\(path)'", hint: "it must hold one line, as it was shown")
    }
    return token
  }
}
