import Core
import Foundation
import TestSupport
import Testing

@testable import Photos

/// The time of a page in a large library; run with `TOTE_TEST_PHOTOS=1000000`.
struct LargeLibraryTests {
  static let count = ProcessInfo.processInfo.environment["TOTE_TEST_PHOTOS"].flatMap { Int($0) }

  @Test(
    "a page of a large library takes less than 5 ms wherever it begins", .enabled(if: count != nil))
  func pages() async throws {
    let count = Self.count ?? 0
    try await withLibrary { world in
      let photo = try await world.library.addPicture().photo
      let template = try world.store.document("photo:\(photo.id)")
      let staged = try ["full.jpg", "thumb.jpg"].map { name in
        let writer = try world.store.makeAttachment()
        try writer.append([0xff, 0xd8])
        let blob = try writer.finish()
        return Core.Attachment(
          name: name, contentType: "image/jpeg", digest: blob.digest, length: blob.length,
          content: .staged(blob))
      }
      var bodies: [DocumentBody] = []
      for number in 0..<100 {
        var members = template.body.members
        members["user"] = .string("user\(number)")
        bodies.append(try DocumentBody(members))
      }
      var ids: [PhotoID] = []
      for start in stride(from: 0, to: count, by: 10_000) {
        var documents: [Document] = []
        for number in start..<min(start + 10_000, count) {
          let id = PhotoID.make(at: 1_900_000_000_000 + Int64(number))
          if number % 1000 == 0 { ids.append(id) }
          documents.append(
            Document(id: "photo:\(id)", body: bodies[number % 100], attachments: staged))
        }
        _ = try world.store.write(documents, mode: .edits)
      }
      var lines: [String] = []
      for (what, user) in [("all", nil), ("one user", "user7")] {
        for cursor in [nil, ids.last, ids[ids.count / 2], ids[1]] {
          var best = Duration.seconds(100)
          for _ in 0..<20 {
            let start = ContinuousClock.now
            let page = try await world.library.newest(50, before: cursor, by: user)
            best = min(best, ContinuousClock.now - start)
            #expect(page.photos.count == (cursor == ids[1] && user != nil ? 10 : 50))
          }
          lines.append("\(what) before \(cursor.map(\.description) ?? "-"): \(best)")
          #expect(best < .milliseconds(5))
        }
      }
      print(lines.joined(separator: "\n"))
    }
  }
}
