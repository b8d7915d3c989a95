import HTTP
import Testing

/// Which names a server may be called by.
@Suite struct HostNamesTests {
  @Test(
    "numbers, this machine's own names and allowed ones are answered to",
    arguments: [
      "127.0.0.1", "127.0.0.1:5984", "192.168.1.7:80", "[::1]:5984", "[fe80::1]", "localhost",
      "LocalHost:5984", "localhost.", "notes.localhost:80", "Notes.Example:443",
    ])
  func own(host: String) {
    #expect(HostNames(["notes.example"]).accept(host))
  }

  @Test(
    "a name that somebody else's page can have is not",
    arguments: [
      "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "evillocalhost",
      "notes.example.evil", "", ":5984", ".localhost", "1.2.3.4.5", "127.0.0.1x",
    ])
  func foreign(host: String) {
    #expect(!HostNames(["notes.example"]).accept(host))
  }
}
