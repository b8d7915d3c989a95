import Core
import Glibc
import TestSupport
import Testing

/// `tote sync serve`, run as the built program.
@Suite struct SyncServeTests {
  /// Starts a server on a free port and waits until it listens.
  private func start(
    _ tote: ToteBinary, _ arguments: String...
  ) throws -> (server: ChildProcess, line: JSON) {
    let launch = try tote.launch(["sync", "serve", "--port", "0", "--jsonl"] + arguments)
    let server = try ChildProcess(launch)
    let line = try #require(try server.nextLine())
    return (server, try JSON(parsing: line))
  }

  private func url(_ line: JSON) throws -> String { try #require(line["url"]?.stringValue) }

  @Test("the port that was taken is told, and requests are answered on it")
  func listening() throws {
    try withTote { tote in
      try tote.run("store", "create", "notes")
      try tote.run("store", "put", "notes", "a", "{\"n\":1}")
      let (server, line) = try start(tote)
      #expect(
        line.objectValue?.keys == ["event", "url", "pin", "stores", "read_only", "users"])
      #expect(line["event"] == "listening")
      let answer = try tote.shell("curl -s \(url(line))notes/a")
      #expect(try JSON(parsing: answer.output)["n"] == 1)
      server.send(SIGTERM)
      let result = try server.finish()
      #expect(result.exitCode == 0)
      #expect(result.lines.last == "{\"event\":\"stopped\"}")
    }
  }

  @Test("SIGTERM and Ctrl-C end open feeds with their last sequence, and the server with 0")
  func draining() throws {
    try withTote { tote in
      try tote.run("store", "create", "notes")
      for signal in [SIGTERM, SIGINT] {
        let (server, line) = try start(tote)
        var launch = Launch(
          "/usr/bin/curl", ["-sN", "\(try url(line))notes/_changes?feed=continuous&heartbeat=50"],
          environment: tote.environment)
        launch.directory = tote.directory
        let feed = try ChildProcess(launch)
        #expect(try feed.nextLine() == "")
        server.send(signal)
        #expect(try server.finish().exitCode == 0)
        #expect(try feed.finish().lines.last?.hasPrefix("{\"last_seq\":") == true)
      }
    }
  }

  @Test("feeds wake for writes of other processes")
  func otherProcesses() throws {
    try withTote { tote in
      try tote.run("store", "create", "notes")
      let (server, line) = try start(tote)
      var launch = Launch(
        "/usr/bin/curl", ["-sN", "\(try url(line))notes/_changes?feed=continuous&heartbeat=50"],
        environment: tote.environment)
      launch.directory = tote.directory
      let feed = try ChildProcess(launch)
      _ = try feed.nextLine()
      try tote.run("store", "put", "notes", "new", "{}")
      var row: String? = ""
      while row == "" { row = try feed.nextLine() }
      #expect(row?.contains("\"id\":\"new\"") == true)
      server.send(SIGTERM)
      #expect(try server.finish().exitCode == 0)
    }
  }

  @Test("only the stores that are named are there")
  func allowList() throws {
    try withTote { tote in
      try tote.run("store", "create", "notes")
      try tote.run("store", "create", "secret")
      let (server, line) = try start(tote, "notes", "--read-only")
      let address = try url(line)
      let all = try tote.shell("curl -s \(address)_all_dbs")
      #expect(try JSON(parsing: all.output) == ["notes"])
      let status = "curl -s -o /dev/null -w '%{http_code}'"
      #expect(try tote.shell("\(status) \(address)secret").output == "404")
      #expect(try tote.shell("\(status) -X PUT \(address)notes/a -d '{}'").output == "403")
      #expect(try tote.shell("\(status) -X PUT \(address)notes/_local/a -d '{}'").output == "201")
      server.send(SIGTERM)
      _ = try server.finish()
    }
  }

  @Test("the access log has a line for each request in the common log format")
  func accessLog() throws {
    try withTote { tote in
      let (server, line) = try start(tote, "--log", "access.log")
      _ = try tote.shell("curl -s '\(try url(line))none?x=%22'")
      server.send(SIGTERM)
      _ = try server.finish()
      let text = try readText("\(tote.directory)/access.log")
      #expect(
        text.contains(
          /^127\.0\.0\.1 - - \[\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET \/none\?x=%22 HTTP\/1\.1" 404 -\n$/
        ))
    }
  }

  @Test("a key is made once, and pinned clients find the same one at the next start")
  func identity() throws {
    try withTote { tote in
      var pins: [String] = []
      for _ in 0..<2 {
        let (server, line) = try start(tote, "--tls")
        let pin = try #require(line["pin"]?.stringValue)
        let answer = try tote.shell("curl -sk --pinnedpubkey '\(pin)' \(try url(line))_up")
        #expect(answer.output.contains("\"ok\""))
        pins.append(pin)
        server.send(SIGTERM)
        _ = try server.finish()
      }
      #expect(pins[0] == pins[1])
    }
  }

  @Test(
    "what cannot be served is said before anything listens",
    arguments: [
      (["nope"], 66, "store 'nope' not found"),
      (["--bind", "example.org"], 64, "'example.org' is not a numeric address"),
      (["--bind", "0.0.0.0"], 64, "without users only this machine is served"),
      (["--bind", "192.0.2.1", "--allow-anonymous"], 73, "cannot listen on '192.0.2.1'"),
      (["--tls", "--cert", "a.pem"], 64, "'--cert' and '--key' belong together"),
      (["--cert", "a.pem", "--key", "a.pem"], 64, "give that too"),
      (["--log", "-", "--json"], 64, "'--log -' is no JSON document"),
    ])
  func refusals(arguments: [String], status: Int32, text: String) throws {
    try withTote { tote in
      let result = try tote.run(["sync", "serve", "--port", "0"] + arguments)
      #expect(result.exitCode == status)
      #expect(result.errors.contains(text))
    }
  }

  @Test("a taken port is said, with what to do")
  func takenPort() throws {
    try withTote { tote in
      let (server, line) = try start(tote)
      let port = try #require(try url(line).split(separator: ":").last?.prefix { $0.isNumber })
      let result = try tote.run("sync", "serve", "--port", String(port))
      #expect(result.exitCode == 73)
      #expect(result.errors.contains("'--port'"))
      server.send(SIGTERM)
      _ = try server.finish()
    }
  }
}
