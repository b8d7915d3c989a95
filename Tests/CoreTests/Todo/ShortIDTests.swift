import Core
import TestSupport
import Testing

struct ShortIDTests {
  @Test("a new id is a letter and fifteen base-32 digits without i l o u")
  func form() {
    var generator = SeededGenerator(for: "ShortIDTests.form")
    for _ in 0..<1000 {
      let id = TodoID.random(using: &generator)
      #expect(id.utf8.count == TodoID.length)
      #expect(TodoID.isOwn(id))
      #expect(id.first?.isLetter == true)
      #expect(!id.contains { "ilou".contains($0) })
    }
  }

  @Test("a short id has three characters and names its item")
  func short() {
    let ids = ShortIDs(documentIDs: ["k7mqaaaaaaaaaaaa", "b2bbbbbbbbbbbbbb"])
    #expect(ids.short(for: "k7mqaaaaaaaaaaaa") == "k7m")
    #expect(ids.resolve("k7m") == .found("k7mqaaaaaaaaaaaa"))
    #expect(ids.resolve("K7MQA") == .found("k7mqaaaaaaaaaaaa"))
    #expect(ids.resolve("k7mqaaaaaaaaaaaa") == .found("k7mqaaaaaaaaaaaa"))
    #expect(ids.resolve("k7") == .unknown)
    #expect(ids.resolve("zzz") == .unknown)
  }

  @Test("taskwarrior#2335: alike ids grow, and the old form names neither")
  func collision() {
    let ids = ShortIDs(documentIDs: ["k7mqaaaaaaaaaaaa", "k7mzaaaaaaaaaaaa", "k7na000000000000"])
    #expect(ids.short(for: "k7mqaaaaaaaaaaaa") == "k7mq")
    #expect(ids.short(for: "k7mzaaaaaaaaaaaa") == "k7mz")
    #expect(ids.short(for: "k7na000000000000") == "k7n")
    #expect(ids.resolve("k7m") == .ambiguous(["k7mqaaaaaaaaaaaa", "k7mzaaaaaaaaaaaa"]))
    #expect(ids.resolve("k7mz") == .found("k7mzaaaaaaaaaaaa"))
  }

  @Test("documents of other clients get a short id too, and nothing is written to them")
  func foreign() {
    let id = "9F8E7D6C-0000-4444-8888-123456789ABC"
    let ids = ShortIDs(documentIDs: [id])
    let short = ids.short(for: id)
    #expect(short.utf8.count == 3)
    #expect(ids.resolve(short) == .found(id))
    #expect(ids.resolve(id) == .found(id))
  }

  @Test("every short id names exactly its item, whatever the ids")
  func property() {
    var generator = SeededGenerator(for: "ShortIDTests.property")
    // Few letters force long common prefixes.
    let documents = Set(
      (0..<400).map { _ in
        "a" + String((0..<15).map { _ in "ab".randomElement(using: &generator) ?? "a" })
      })
    let ids = ShortIDs(documentIDs: documents)
    for document in documents {
      #expect(ids.resolve(ids.short(for: document)) == .found(document))
    }
  }

  @Test("a new id avoids the short forms in use")
  func fresh() {
    var generator = SeededGenerator(for: "ShortIDTests.fresh")
    var all: [String] = []
    for _ in 0..<200 {
      let ids = ShortIDs(documentIDs: all)
      all.append(ids.makeID(using: &generator))
    }
    let ids = ShortIDs(documentIDs: all)
    #expect(all.allSatisfy { ids.short(for: $0).utf8.count == 3 })
  }
}
