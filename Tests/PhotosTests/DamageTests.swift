import TestSupport
import Testing

@testable import Photos

/// Damaged files: what is told apart, and that nothing crashes.
struct DamageTests {
  static let kinds: [(name: String, fixture: PhotoFixture)] = {
    var plain = PhotoFixture(width: 200, height: 160)
    plain.noise = 24
    var restarts = plain
    restarts.restartInterval = 4
    var progressive = plain
    progressive.isProgressive = true
    var arithmetic = plain
    arithmetic.isArithmetic = true
    var separate = plain
    separate.isSeparate = true
    var turned = plain
    turned.orientation = 6
    return [
      ("baseline", plain), ("restarts", restarts), ("progressive", progressive),
      ("arithmetic", arithmetic), ("separate scans", separate), ("turned", turned),
    ]
  }()

  static func options(_ damage: DamagePolicy) -> PhotoOptions {
    var options = PhotoOptions()
    options.damage = damage
    return options
  }

  @Test("cut at each sixteenth: refused as cut off, or as no picture at all", arguments: 0..<6)
  func cut(kind: Int) throws {
    let (name, fixture) = Self.kinds[kind]
    let file = fixture.jpeg()
    let data = try #require(file.place(of: 0xDA)) + 14
    for part in 1..<16 {
      let length = file.count * part / 16
      let cut = Array(file.prefix(length))
      #expect(
        outcome(cut).verdict == (length > data ? "truncated" : "corrupt"), "\(name) at \(part)/16")
      #expect(outcome(cut, Self.options(.strict)).verdict != "accepted", "\(name) at \(part)/16")
      let kept = outcome(cut, Self.options(.anything))
      guard length > data else { continue }
      guard case .success(let photo) = kept else {
        Issue.record("\(name) at \(part)/16: \(kept)")
        continue
      }
      #expect(photo.notes.contains(.missingPixels), "\(name) at \(part)/16")
      #expect(photo.full.width == fixture.uprightWidth)
      expectBarePicture(photo.full.bytes, "\(name)")
    }
  }

  @Test("only the end mark is missing: accepted, with a note", arguments: [0, 1, 2, 4, 5])
  func noEnd(kind: Int) throws {
    let (name, fixture) = Self.kinds[kind]
    let whole = fixture.jpeg()
    for lost in 1...2 {
      let photo = try outcome(Array(whole.dropLast(lost))).get()
      #expect(photo.notes == [.noEOI], "\(name) without \(lost)")
      #expect(photo.full == (try outcome(whole).get()).full, "\(name): the same pixels")
    }
  }

  @Test("a maker's trailer in place of the end mark is dropped", arguments: [0, 2, 4])
  func trailerForEnd(kind: Int) throws {
    let (name, fixture) = Self.kinds[kind]
    let trailer: [UInt8] =
      [0xFF, 0x00, 0x12] + Array("SEFH Image_UTC_Data".utf8) + [0xFF, 0xE5, 9]
    var file = fixture.jpeg()
    file.removeLast(2)
    file += [0xFF, 0x77] + trailer
    let photo = try outcome(file).get()
    #expect(photo.notes == [.noEOI, .trailingDataDropped], "\(name)")
  }

  @Test("an end mark in the midst of the data is a cut", arguments: [0, 2, 4])
  func endTooEarly(kind: Int) throws {
    let (name, fixture) = Self.kinds[kind]
    let file = fixture.jpeg()
    let cut = Array(file.prefix(file.count / 3)) + [0xFF, 0xD9]
    #expect(outcome(cut).verdict == "truncated", "\(name)")
  }

  @Test("a progressive picture without its last details is accepted as damaged")
  func lostDetail() throws {
    let file = Self.kinds[2].fixture.jpeg()
    let lastScan = try #require(file.place(of: 0xDA, last: true))
    let photo = try outcome(Array(file.prefix(lastScan)) + [0xFF, 0xD9]).get()
    #expect(photo.notes == [.damaged])
  }

  @Test("wrong bits: one verdict each time, in each policy, and a whole picture if accepted")
  func wrongBits() throws {
    var random = SeededGenerator(for: "DamageTests.wrongBits")
    for (name, fixture) in Self.kinds {
      let whole = fixture.jpeg()
      for round in 0..<30 {
        var file = whole
        for _ in 0..<Int.random(in: 1...40, using: &random) {
          // Mostly in the data, now and then in the headers.
          let start = round % 4 == 0 ? 2 : 700
          let place = Int.random(in: min(start, file.count - 1)..<file.count, using: &random)
          file[place] = UInt8.random(in: 0...255, using: &random)
        }
        let first = outcome(file)
        #expect(outcome(file) == first, "\(name)")
        var twoThreads = PhotoOptions()
        twoThreads.usesTwoThreads = true
        #expect(outcome(file, twoThreads) == first, "\(name)")
        if case .success(let photo) = first {
          expectBarePicture(photo.full.bytes, "\(name)")
          let strict = outcome(file, Self.options(.strict))
          if photo.notes.contains(.damaged) {
            #expect(strict.verdict == "damaged", "\(name)")
          } else {
            #expect(strict == first, "\(name)")
          }
          #expect(!photo.notes.contains(.missingPixels), "\(name)")
        }
        _ = outcome(file, Self.options(.anything))
      }
    }
  }

  @Test("40 wrong bytes that libjpeg passes in silence are told by the data left over")
  func silentDamage() throws {
    let file = try CorpusTests.bytes("bitrot_40_bytes.jpg")
    #expect(try outcome(file).get().notes == [.damaged])
    #expect(outcome(file, Self.options(.strict)).verdict == "damaged")
  }

  @Test("segments and tables cut, doubled or exchanged never end in a crash")
  func shuffledSegments() throws {
    var random = SeededGenerator(for: "DamageTests.shuffledSegments")
    for (_, fixture) in Self.kinds {
      let file = fixture.jpeg()
      let places = (2..<file.count - 1).filter {
        file[$0] == 0xFF && ![0, 0xFF].contains(file[$0 + 1])
      }
      for _ in 0..<30 {
        var cuts = (0..<3).map { _ in places.randomElement(using: &random) ?? 2 }
        cuts.sort()
        let parts = [
          file[..<cuts[0]], file[cuts[0]..<cuts[1]], file[cuts[1]..<cuts[2]], file[cuts[2]...],
        ]
        let orders = [
          [0, 2, 1, 3], [0, 1, 1, 2, 3], [0, 2, 3], [0, 3], [0, 1, 2, 3, 2, 3], [3, 0, 1],
        ]
        let order = orders.randomElement(using: &random) ?? []
        let shuffled = Array(order.map { parts[$0] }.joined())
        #expect(outcome(shuffled) == outcome(shuffled))
      }
    }
  }
}
