import Core
import Foundation
import HTTP
import TestSupport
import Testing

@testable import Photos

struct PhotoExportTests {
  @Test("an export has a file for each photo and a list; a second run writes nothing anew")
  func export() async throws {
    try await withLibrary { world in
      let one = try await world.library.addPicture(80, title: "One", by: "ann").photo
      let two = try await world.library.addPicture(81, by: "bob").photo
      let folder = world.stores.path + "/out"
      let export = PhotoExport(world.library, to: folder)
      let first = try await export.run()
      #expect(first.written == 2 && first.skipped == 0 && first.failures.isEmpty)
      let names = Set(LibraryWorld.files(folder))
      #expect(names == ["\(one.id).jpg", "\(two.id).jpg", "photos.jsonl"])
      let full = try #require(try await world.library.picture(.full, of: one.id))
      let bytes = try await full.all()
      #expect(try readBytes(folder + "/\(one.id).jpg") == bytes)
      let lines = try readText(folder + "/photos.jsonl").split(separator: "\n")
      let listed = try lines.map { try JSON(parsing: String($0)) }
      #expect(listed.compactMap { Photo(json: $0)?.id } == [two.id, one.id])
      #expect(listed.last?["title"] == "One")
      #expect(listed.last?["file"]?.stringValue == "\(one.id).jpg")
      // Cut short by a kill: a draft, and a file that is too short.
      try writeBytes([1], to: folder + "/.tote-export-abc")
      try writeBytes([1], to: folder + "/\(two.id).jpg")
      let again = try await export.run()
      #expect(again.written == 1 && again.skipped == 1)
      #expect(Set(LibraryWorld.files(folder)) == names)
      let mine = PhotoExport(world.library, to: world.stores.path + "/mine")
      #expect(try await mine.run(by: "ann", size: .thumb).written == 1)
    }
  }

  @Test("what an earlier run wrote stays listed, whatever this run writes")
  func merged() async throws {
    try await withLibrary { world in
      var photos: [Photo] = []
      for number in Int32(0)..<6 {
        let user = number % 2 == 0 ? "ann" : "bob"
        photos.append(
          try await world.library.addPicture(80 + number, title: "\(number)", by: user).photo)
      }
      let folder = world.stores.path + "/out"
      let export = PhotoExport(world.library, to: folder)
      func listed() throws -> [String] {
        try readText(folder + "/photos.jsonl").split(separator: "\n").map {
          let json = try JSON(parsing: String($0))
          return "\(json["title"]?.stringValue ?? "") \(json["file"]?.stringValue ?? "")"
        }
      }
      func lines(_ numbers: [Int], _ size: PictureSize = .full) -> [String] {
        numbers.map { "\($0) \(PhotoExport.fileName(photos[$0].id, size))" }
      }
      _ = try await export.run(by: "ann")
      #expect(try listed() == lines([4, 2, 0]))
      _ = try await export.run(by: "bob")
      #expect(try listed() == lines([5, 4, 3, 2, 1, 0]))
      _ = try await export.run(by: "nobody")
      #expect(try listed() == lines([5, 4, 3, 2, 1, 0]))
      _ = try await world.library.remove(photos[3].id, by: "bob")
      unlink(folder + "/" + PhotoExport.fileName(photos[1].id))
      unlink(folder + "/" + PhotoExport.fileName(photos[2].id))
      _ = try await export.run(by: "ann")
      // Listed is what is there: 3 is gone from the library, 1 from the folder.
      #expect(try listed() == lines([5, 4, 3, 2, 0]))
      let thumbs = try await export.run(by: "ann", size: .thumb)
      #expect(thumbs.written == 3)
      let all = try listed()
      #expect(Set(all) == Set(lines([5, 4, 3, 2, 0]) + lines([4, 2, 0], .thumb)))
      #expect(all.count == 8)
      let full = try await export.run(by: "ann")
      #expect(full.written == 0 && full.skipped == 3)
      #expect(try Set(listed()) == Set(all) && listed().count == 8)
    }
  }

  /// A source whose first photo cannot be read.
  private struct Damaged: PhotoReading {
    let library: PhotoLibrary
    let bad: PhotoID

    func newest(_ limit: Int, before cursor: PhotoID?, by user: String?) async throws -> PhotoPage {
      try await library.newest(limit, before: cursor, by: user)
    }
    func photo(_ id: PhotoID) async throws -> Photo? { try await library.photo(id) }
    func pictureBody(_ size: PictureSize, of id: PhotoID) async throws -> HTTPBody? {
      guard id == bad else { return try await library.pictureBody(size, of: id) }
      return HTTPBody(length: 5) {
        throw StoreError.damagedAttachment(name: "full.jpg", detail: "its bytes are gone")
      }
    }
  }

  @Test("a photo that cannot be read is named, and the others are written")
  func damaged() async throws {
    try await withLibrary { world in
      let bad = try await world.library.addPicture(80).photo.id
      try await world.library.addPicture(81)
      let folder = world.stores.path + "/out"
      let source = Damaged(library: world.library, bad: bad)
      let summary = try await PhotoExport(source, to: folder).run()
      #expect(summary.written == 1 && summary.failures.map(\.id) == [bad])
      #expect(LibraryWorld.files(folder).count == 2)
    }
  }
}
