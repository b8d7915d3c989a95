import TestSupport
import Testing

@testable import Core

@Suite struct PageCipherTests {
  private func cipher(_ byte: UInt8 = 1, salt: UInt8 = 9) -> PageCipher {
    PageCipher(
      key: rawKey(byte).pageKey(salt: []),
      salt: [UInt8](repeating: salt, count: PageCipher.saltSize))
  }

  private func page(_ generator: inout SeededGenerator, number: UInt32) -> [UInt8] {
    var page = (0..<PageCipher.pageSize).map { _ in UInt8.random(in: 0...255, using: &generator) }
    if number == 1 { page.replaceSubrange(0..<16, with: Array("SQLite format 3\0".utf8)) }
    for index in (page.count - 80)..<page.count { page[index] = 0 }
    return page
  }

  @Test("a page comes back, and its number, key and salt are part of its code")
  func roundTrip() throws {
    var generator = SeededGenerator(for: "pages come back")
    for number: UInt32 in [1, 2, 3, 257, .max] {
      let plain = page(&generator, number: number)
      let sealed = try #require(cipher().encrypted(plain, number: number))
      #expect(cipher().decrypted(sealed, number: number) == plain)
      #expect(cipher().encrypted(plain, number: number) != sealed, "the vector is random")
      #expect(cipher().decrypted(sealed, number: number ^ 2) == nil)
      #expect(cipher(2).decrypted(sealed, number: number) == nil)
      #expect(cipher(1, salt: 8).decrypted(sealed, number: number) == nil)
      if number == 1 { #expect(sealed.prefix(16).allSatisfy { $0 == 9 }) }
    }
  }

  @Test("a changed bit anywhere in a page is noticed")
  func flippedBits() throws {
    var generator = SeededGenerator(for: "changed bits in pages")
    for number: UInt32 in [1, 2] {
      let sealed = try #require(
        cipher().encrypted(page(&generator, number: number), number: number))
      // The salt has no code of its own: it is what the keys are made of.
      for index in (number == 1 ? 16 : 0)..<sealed.count {
        var changed = sealed
        changed[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        #expect(cipher().decrypted(changed, number: number) == nil, "byte \(index)")
      }
    }
  }

  @Test("what would be lost in a page's reserved bytes is refused; a hole reads as zeros")
  func edges() {
    var plain = [UInt8](repeating: 0, count: PageCipher.pageSize)
    #expect(cipher().decrypted(plain, number: 2) == plain)
    #expect(cipher().decrypted(plain, number: 1) == nil)
    plain[plain.count - 1] = 1
    #expect(cipher().encrypted(plain, number: 2) == nil)
  }
}
