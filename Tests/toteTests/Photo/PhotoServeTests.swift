import Core
import Foundation
import Glibc
import TestSupport
import Testing

/// `tote photo serve`, run as the built program.
@Suite struct PhotoServeTests {
  /// Starts a server on a free port and waits until it listens.
  private func start(
    _ tote: ToteBinary, _ arguments: String...
  ) throws -> (server: ChildProcess, line: JSON, url: String) {
    let launch = try tote.launch(["photo", "serve", "--port", "0", "--jsonl"] + arguments)
    let server = try ChildProcess(launch)
    let line = try JSON(parsing: try #require(try server.nextLine()))
    return (server, line, try #require(line["url"]?.stringValue))
  }

  private func stop(_ server: ChildProcess) throws {
    server.send(SIGTERM)
    let result = try server.finish()
    #expect(result.exitCode == 0)
    #expect(result.lines.last == "{\"event\":\"stopped\"}")
  }

  private static let json = "-H 'Content-Type: application/json'"
  private static let ann = "-d '{\"username\":\"ann\",\"password\":\"correct horse\"}'"

  @Test("the library is made, and the address, the accounts and who may join are told")
  func listening() throws {
    try withTote { tote in
      let (server, line, url) = try start(tote, "--open-registration")
      #expect(
        line.objectValue?.keys == [
          "event", "url", "pin", "library", "registration", "invite", "private", "users", "photos",
        ])
      #expect(line["library"] == "photos" && line["registration"] == "open")
      #expect(line["users"] == 0 && line["photos"] == 0)
      let made = try tote.shell("curl -s \(Self.json) \(Self.ann) \(url)api/v1/register")
      #expect(made.output == "{\"user\":{\"name\":\"ann\"}}\n")
      try stop(server)
      #expect(try tote.run("store", "list").output.contains("photos"))
    }
  }

  @Test("memory stays flat over many uploads (LycheeOrg/Lychee#729)")
  func memory() async throws { try await offPool { try self.uploadMany() } }

  private func uploadMany() throws {
    try withTote { tote in
      let picture = try corpus("orient_6.jpg")
      let (server, _, url) = try start(tote, "--open-registration")
      // What follows the picture makes each file another one.
      func upload(_ count: Int) throws -> Int {
        let answer = try tote.shell(
          """
          for number in $(seq \(count)); do
            { cat '\(picture)'; head -c 16 /dev/urandom; } >sent.jpg
            curl -s -o /dev/null -w '%{http_code}\\n' -b jar -H 'X-Tote: 1' -F file=@sent.jpg \
              \(url)api/v1/photos
          done | sort | uniq -c
          curl -s \(url)metrics | sed -n 's/^tote_photo_resident_bytes //p'
          """)
        let lines = answer.output.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasSuffix(" \(count) 201"), "\(answer.output)")
        return lines.last.flatMap { Int($0) } ?? .max
      }
      _ = try tote.shell(
        "curl -s -c jar \(Self.json) \(Self.ann) \(url)api/v1/register >/dev/null")
      let before = try upload(100)
      let after = try upload(200)
      #expect(after - before < 10 << 20, "\(before) bytes, then \(after)")
      try stop(server)
    }
  }

  @Test("a photo that was uploaded is there after the next start")
  func upload() throws {
    try withTote { tote in
      let picture = try corpus("orient_6.jpg")
      let (server, _, url) = try start(tote, "--open-registration")
      let answer = try tote.shell(
        "curl -s -c jar \(Self.json) \(Self.ann) \(url)api/v1/register >/dev/null && "
          + "curl -s -b jar -H 'X-Tote: 1' -F title=cat -F 'file=@\(picture)' \(url)api/v1/photos")
      let photo = try JSON(parsing: answer.output)
      #expect(photo["title"] == "cat" && photo["duplicate"] == false)
      try stop(server)
      let (again, line, second) = try start(tote)
      #expect(line["users"] == 1 && line["photos"] == 1 && line["registration"] == "closed")
      let page = try tote.shell("curl -s \(second)api/v1/photos")
      #expect(try JSON(parsing: page.output)["photos"]?.arrayValue?.first?["id"] == photo["id"])
      // Sessions live on, too.
      let session = try tote.shell("curl -s -b jar \(second)api/v1/session")
      #expect(session.output == "{\"user\":{\"name\":\"ann\"}}\n")
      try stop(again)
    }
  }

  @Test("SIGTERM and Ctrl-C end open event streams, and the server with 0")
  func draining() throws {
    try withTote { tote in
      for signal in [SIGTERM, SIGINT] {
        let (server, _, url) = try start(tote)
        var launch = Launch(
          "/usr/bin/curl", ["-sN", "\(url)api/v1/events"], environment: tote.environment)
        launch.directory = tote.directory
        let feed = try ChildProcess(launch)
        #expect(try feed.nextLine()?.hasPrefix(":") == true)
        server.send(signal)
        #expect(try server.finish().exitCode == 0)
        #expect(try feed.finish().exitCode == 0)
      }
    }
  }

  @Test("a kill in the middle of an upload leaves neither a photo nor a file")
  func kill() throws {
    try withTote { tote in
      let (server, _, url) = try start(tote, "--open-registration")
      _ = try tote.shell("curl -s -c jar \(Self.json) \(Self.ann) \(url)api/v1/register")
      var launch = Launch(
        "/bin/sh",
        [
          "-c",
          "(head -c 300000 /dev/zero; sleep 30) | curl -sN -b jar -H 'X-Tote: 1' -H 'Expect:' "
            + "-H 'Content-Type: image/jpeg' -T - -X POST \(url)api/v1/photos",
        ], environment: tote.environment)
      launch.directory = tote.directory
      let sender = try ChildProcess(launch)
      let metrics = "curl -s \(url)metrics | grep '^tote_photo_uploads_admitted'"
      var isSending = false
      while !isSending { isSending = try tote.shell(metrics).output.hasSuffix(" 1\n") }
      server.send(SIGKILL)
      _ = try server.finish()
      sender.send(SIGKILL)
      _ = try sender.finish()
      let (again, line, _) = try start(tote)
      #expect(line["photos"] == 0)
      #expect(try Folder(tote.stores + "/.uploads").names().isEmpty)
      try stop(again)
    }
  }

  @Test("an invitation is an address whose secret no server sees until it is used")
  func invite() throws {
    try withTote { tote in
      let (server, line, url) = try start(tote, "--invite")
      let invite = try #require(line["invite"]?.stringValue)
      #expect(invite.hasPrefix(url + "#invite=") && invite.utf8.count > url.utf8.count + 30)
      let code = try #require(invite.split(separator: "=").last)
      let status = "curl -s -o /dev/null -w '%{http_code}' \(Self.json)"
      #expect(try tote.shell("\(status) \(Self.ann) \(url)api/v1/register").output == "403")
      let body =
        "-d '{\"username\":\"ann\",\"password\":\"correct horse\",\"invite\":\"\(code)\"}'"
      #expect(try tote.shell("\(status) \(body) \(url)api/v1/register").output == "201")
      try stop(server)
    }
  }

  @Test("the access log names users, and no secret")
  func accessLog() throws {
    try withTote { tote in
      let (server, _, url) = try start(tote, "--open-registration", "--log", "access.log")
      _ = try tote.shell(
        "curl -s -c jar \(Self.json) \(Self.ann) \(url)api/v1/register && "
          + "curl -s -b jar \(url)api/v1/session")
      try stop(server)
      let text = try readText("\(tote.directory)/access.log")
      #expect(text.contains("- ann [") && text.contains("\"GET /api/v1/session HTTP/1.1\" 200"))
      #expect(!text.contains("correct horse") && !text.contains("tote_"))
    }
  }

  @Test("people are told how accounts are made")
  func words() throws {
    try withTote { tote in
      for (arguments, text) in [
        ([], "tote photo user add"), (["--open-registration"], "everybody who can connect"),
        (["--invite"], "who has the address after 'invite'"),
      ] {
        let server = try ChildProcess(
          try tote.launch(["photo", "serve", "--port", "0"] + arguments))
        #expect(try server.nextLine()?.hasPrefix("listening on http://127.0.0.1:") == true)
        server.send(SIGTERM)
        let result = try server.finish()
        #expect(result.exitCode == 0 && result.errors.contains(text))
        #expect(result.errors.contains("no photos"))
      }
    }
  }

  @Test(
    "what cannot be served is said before anything listens",
    arguments: [
      (["--bind", "example.org"], 64, "'example.org' is not a numeric address"),
      (["--bind", "192.0.2.1"], 73, "cannot listen on '192.0.2.1'"),
      (["--trust-proxy", "proxy"], 64, "'proxy' is not a numeric address"),
      (["--open-registration", "--invite"], 64, "--invite"),
      (["--strict", "--accept-damaged"], 64, "--accept-damaged"),
      (["--max-upload", "lots"], 64, "lots"), (["--max-upload", "0"], 64, "--max-upload"),
      (["--max-side", "1"], 64, "at least 16 pixels"),
      (["--library", "No Name"], 65, "No Name"),
      (["--tls", "--cert", "a.pem"], 64, "'--cert' and '--key' belong together"),
      (["--log", "-", "--json"], 64, "'--log -' is no JSON document"),
    ])
  func refusals(arguments: [String], status: Int32, text: String) throws {
    try withTote { tote in
      let result = try tote.run(["photo", "serve", "--port", "0"] + arguments)
      #expect(result.exitCode == status, "\(result.errors)")
      #expect(result.errors.contains(text), "\(result.errors)")
    }
  }

  /// A file of the corpus of hostile pictures.
  private func corpus(_ name: String) throws -> String {
    SourceTests.root.appendingPathComponent("Tests/PhotosTests/Corpus/\(name)").path
  }
}
