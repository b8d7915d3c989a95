import Core
import Foundation
import HTTP
import TestSupport
import Testing

@testable import Photos

/// Lets a thread wait until a test lets it go on.
private final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  func wait() { semaphore.wait() }
  func open() { semaphore.signal() }
}

struct PhotoLibraryTests {
  @Test("a photo that was added is read, found by number and hash, and shown in all sizes")
  func addAndRead() async throws {
    try await withLibrary { world in
      var fixture = PhotoFixture()
      (fixture.width, fixture.height) = (2000, 1000)
      let bytes = fixture.jpeg()
      let added = try await world.library.add(bytes, title: " Hi ", by: "Ann")
      #expect(!added.isDuplicate)
      let photo = try #require(try await world.library.photo(added.photo.id))
      #expect(photo == added.photo)
      #expect(photo.title == "Hi" && photo.user == "ann")
      #expect(photo.width == 2000 && photo.height == 1000 && !photo.placeholder.isEmpty)
      #expect(photo.taken == nil && photo.number > 0)
      #expect(photo.created.hasSuffix("Z") && photo.created.utf8.count == 24)
      #expect(try await world.library.photo(number: photo.number) == photo)
      #expect(try await world.library.upload(sentDigest: digest(bytes), by: "ann") == photo)
      for size in PictureSize.allCases {
        let picture = try #require(try await world.library.picture(size, of: photo.id))
        #expect(picture.picture == photo.pictures[size])
        let bytes = try await picture.all()
        #expect(Int64(bytes.count) == picture.picture.length)
        #expect(bytes.starts(with: [0xff, 0xd8]))
      }
    }
  }

  @Test("a photo no larger than the view serves as its own view")
  func viewIsFull() async throws {
    try await withLibrary { world in
      let photo = try await world.library.addPicture().photo
      #expect(photo.pictures[.view] == nil)
      #expect(photo.picture(.view) == photo.pictures[.full])
      let view = try #require(try await world.library.picture(.view, of: photo.id))
      let full = try #require(try await world.library.picture(.full, of: photo.id))
      #expect(try await view.all() == full.all())
    }
  }

  @Test("the full picture of a plain store is a file, that of an encrypted one a stream")
  func contents() async throws {
    try await withLibrary { world in
      let photo = try await world.library.addPicture().photo
      let full = try #require(try await world.library.picture(.full, of: photo.id))
      guard case .file = full.content else {
        Issue.record("no file")
        return
      }
    }
    let secret = SecretBytes(count: StoreKey.size) { for index in $0.indices { $0[index] = 7 } }
    let key = try #require(StoreKey(raw: secret))
    try await withLibrary(key: key) { world in
      let photo = try await world.library.addPicture().photo
      let full = try #require(try await world.library.picture(.full, of: photo.id))
      guard case .stream(let part) = full.content else {
        Issue.record("no stream")
        return
      }
      let bytes = try await full.all()
      #expect(bytes.starts(with: [0xff, 0xd8]) && bytes.suffix(2) == [0xff, 0xd9])
      #expect(try await part(10..<20).collect(upTo: 100) == Array(bytes[10..<20]))
      // Nothing of a picture lies on the disk in the clear.
      for file in world.blobFiles() {
        let path = world.stores.path + "/photos.store/blobs/" + file
        let stored = try readBytes(path)
        #expect(!stored.starts(with: [0xff, 0xd8]))
      }
      #expect(try await world.library.remove(photo.id, by: "ann"))
      #expect(world.blobFiles().isEmpty)
    }
  }

  @Test("the same file by the same user is one photo; by another user it is another")
  func duplicates() async throws {
    try await withLibrary { world in
      let first = try await world.library.addPicture(by: "ann")
      let again = try await world.library.addPicture(title: "Other", by: "ann")
      #expect(again.isDuplicate && again.photo == first.photo)
      let bytes = PhotoFixture(quality: 90).jpeg()
      // What Ann has is not told to Bob.
      #expect(try await world.library.upload(sentDigest: digest(bytes), by: "bob") == nil)
      let other = try await world.library.addPicture(by: "bob")
      #expect(!other.isDuplicate && other.photo.id != first.photo.id)
      #expect(try await world.library.newest(50).photos.count == 2)
      // Both share the bytes: removing one leaves the other's.
      #expect(try await world.library.remove(first.photo.id, by: "ann"))
      let full = try #require(try await world.library.picture(.full, of: other.photo.id))
      #expect(try await !full.all().isEmpty)
      #expect(try await world.library.upload(sentDigest: digest(bytes), by: "ann") == nil)
      #expect(try await !world.library.addPicture(by: "ann").isDuplicate)
    }
  }

  @Test("identical uploads at once are one photo, also through two libraries over one store")
  func concurrentDuplicates() async throws {
    try await withLibrary { world in
      let other = try await world.other()
      let ids = try await withThrowingTaskGroup(of: AddedPhoto.self) { group in
        for index in 0..<12 {
          let library = index % 2 == 0 ? world.library : other
          group.addTask { try await library.addPicture() }
        }
        return try await group.reduce(into: [AddedPhoto]()) { $0.append($1) }
      }
      #expect(Set(ids.map(\.photo.id)).count == 1)
      #expect(ids.filter { !$0.isDuplicate }.count == 1)
      #expect(try await world.library.newest(50).photos.count == 1)
      await other.close()
    }
  }

  @Test("photos added at once are all there, with different ids and numbers")
  func concurrency() async throws {
    try await withLibrary { world in
      let photos = try await withThrowingTaskGroup(of: Photo.self) { group in
        for quality in 60..<80 {
          group.addTask { try await world.library.addPicture(Int32(quality)).photo }
        }
        return try await group.reduce(into: [Photo]()) { $0.append($1) }
      }
      #expect(Set(photos.map(\.id)).count == 20 && Set(photos.map(\.number)).count == 20)
      let listed = try await world.library.newest(50).photos
      #expect(listed.map(\.id) == photos.map(\.id).sorted(by: >))
    }
  }

  @Test("pages follow each other without a gap or a repetition while photos are added")
  func pages() async throws {
    try await withLibrary { world in
      var all: [PhotoID] = []
      for index in 0..<7 {
        all.append(
          try await world.library.addPicture(60 + Int32(index), by: index % 2 == 0 ? "ann" : "bob")
            .photo.id)
      }
      for user in [nil, "ann", "bob"] {
        let expected = all.enumerated().filter {
          user == nil || (user == "ann") == ($0.offset % 2 == 0)
        }.map(\.element).reversed()
        var seen: [PhotoID] = []
        var cursor: PhotoID?
        repeat {
          let page = try await world.library.newest(2, before: cursor, by: user)
          #expect(page.photos.count <= 2)
          seen += page.photos.map(\.id)
          cursor = page.next
        } while cursor != nil
        #expect(seen == Array(expected))
      }
      // jointakahe/takahe#518: new photos do not move the pages.
      let first = try await world.library.newest(3)
      try await world.library.addPicture(95)
      let second = try await world.library.newest(3, before: first.next)
      #expect((first.photos + second.photos).map(\.id) == Array(all.reversed().prefix(6)))
      // A cursor whose photo is gone still works.
      let cursor = try #require(first.next)
      #expect(try await world.library.remove(cursor, by: nil))
      #expect(try await world.library.newest(3, before: cursor) == second)
    }
  }

  @Test("a refused file leaves nothing", arguments: [0, 100, 700])
  func refused(length: Int) async throws {
    try await withLibrary { world in
      var fixture = PhotoFixture()
      fixture.noise = 20
      let bytes = Array(fixture.jpeg().prefix(length))
      await #expect(throws: PhotoRefusal.self) { try await world.library.add(bytes) }
      let photos = try await world.library.newest(50).photos
      #expect(photos.isEmpty)
      #expect(world.blobFiles().isEmpty)
    }
  }

  @Test("a title that is too long or a name that is none is refused before any work")
  func refusedText() async throws {
    try await withLibrary { world in
      await #expect(throws: PhotoLibraryError.titleTooLong) {
        try await world.library.addPicture(title: String(repeating: "a", count: 501))
      }
      await #expect(throws: PhotoLibraryError.invalidUserName) {
        try await world.library.addPicture(by: "../ann")
      }
      #expect(world.blobFiles().isEmpty)
    }
  }

  @Test("with all decoders busy and the queue full a photo is refused as busy")
  func busy() async throws {
    let queue = WorkQueue(atOnce: 1, waiting: 1)
    let started = AsyncStream.makeStream(of: Void.self)
    let release = Gate()
    let first = Task {
      try await queue.run {
        started.continuation.yield()
        release.wait()
      }
    }
    for await _ in started.stream { break }
    let second = Task { try await queue.run {} }
    while true {
      // The second is in the queue as soon as a third is refused.
      do {
        let third = Task { try await queue.run {} }
        third.cancel()
        try await third.value
      } catch PhotoLibraryError.busy {
        break
      } catch is CancellationError {
        await Task.yield()
      }
    }
    await #expect(throws: PhotoLibraryError.busy) { try await queue.run {} }
    release.open()
    try await first.value
    try await second.value
    // The places are free again.
    try await queue.run {}
  }

  @Test("ids sort by time, cannot be guessed, and nothing else reads as one")
  func ids() throws {
    let early = PhotoID.make(at: 1_700_000_000_000)
    let late = PhotoID.make(at: 1_700_000_000_001)
    #expect(early < late && early.milliseconds == 1_700_000_000_000)
    #expect(PhotoID(early.description) == early)
    #expect(Set((0..<1000).map { _ in PhotoID.make(at: 5) }).count == 1000)
    for text in [
      "", String(repeating: "i", count: 36), early.description + "0",
      early.description.uppercased(), String(repeating: "é", count: 18),
      "../" + early.description.dropFirst(3),
    ]
    where text != early.description {
      #expect(PhotoID(text) == nil, "\(text)")
    }
  }

  @Test("numbers are a permutation that depends on the key")
  func numbers() {
    let one = NumberPermutation(key: [1])
    let two = NumberPermutation(key: [2])
    let numbers = (1...5000).map { one.number(Int32($0)) }
    #expect(Set(numbers).count == 5000 && numbers.allSatisfy { $0 > 0 })
    #expect(numbers != (1...5000).map { two.number(Int32($0)) })
    #expect(zip(numbers, numbers.dropFirst()).filter { abs(Int($0) - Int($1)) < 1000 }.count < 5)
    #expect(one.number(.max) > 0)
  }

  @Test("users have small numbers that stay")
  func userNumbers() async throws {
    try await withLibrary { world in
      #expect(try await world.library.number(ofUser: "ann") == 1)
      #expect(try await world.library.number(ofUser: "bob") == 2)
      let other = try await world.other()
      #expect(try await other.number(ofUser: "bob") == 2)
      #expect(try await other.number(ofUser: "ann") == 1)
      await other.close()
    }
  }
}
