import ArgumentParser
import Core

/// Where and how a command serves, beside its port: what `sync serve` and `photo serve` share.
struct ServerOptions: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp("the address to listen on; '::' is every address", valueName: "A"))
  var bind = "127.0.0.1"

  @Flag(help: "serve https")
  var tls = false

  @Option(
    help: ArgumentHelp("the certificate with its chain, as PEM", valueName: "F"),
    completion: .file(extensions: ["pem", "crt"]))
  var cert: String?

  @Option(
    help: ArgumentHelp("the certificate's private key, as PEM", valueName: "F"),
    completion: .file(extensions: ["pem", "key"]))
  var key: String?

  @Option(
    help: ArgumentHelp(
      "write a line for each request to F, '-' is standard output", valueName: "F"),
    completion: .file())
  var log: String?

  init() {}

  mutating func validate() throws {
    if (cert == nil) != (key == nil) {
      throw ValidationError("'--cert' and '--key' belong together: give both or none")
    }
    if cert != nil && !tls { throw ValidationError("'--cert' is for '--tls': give that too") }
  }

  /// Refuses a log among the one JSON document of standard output.
  func checkLog(_ global: GlobalOptions) throws(ValidationError) {
    if log == "-" && global.json {
      throw ValidationError("'--log -' is no JSON document: use '--jsonl', or name a file")
    }
  }
}
