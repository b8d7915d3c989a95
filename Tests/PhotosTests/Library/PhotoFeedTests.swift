import Core
import TestSupport
import Testing

@testable import Photos

struct PhotoFeedTests {
  @Test("every subscriber hears of photos added and removed here and by another process")
  func events() async throws {
    try await withLibrary { world in
      let other = try await world.other()
      var one = world.library.events().makeAsyncIterator()
      var two = world.library.events().makeAsyncIterator()
      let first = try await world.library.addPicture(80).photo
      let second = try await other.addPicture(81).photo
      #expect(try await other.remove(first.id, by: "ann"))
      for expected in [PhotoEvent.added(second), .removed(first.id)] {
        var seen = await one.next()
        if seen == .added(first) { seen = await one.next() }
        // The removal may have replaced the addition already: a feed names a document once.
        #expect(seen == expected)
        seen = await two.next()
        if seen == .added(first) { seen = await two.next() }
        #expect(seen == expected)
      }
      await world.library.close()
      #expect(await one.next() == nil)
      #expect(await two.next() == nil)
      await other.close()
    }
  }

  @Test("a subscriber that does not read is ended, the others go on")
  func slowSubscriber() async throws {
    try await withLibrary { world in
      let slow = world.library.events()
      var quick = world.library.events().makeAsyncIterator()
      let template = try await world.library.addPicture().photo
      #expect(await quick.next() == .added(template))
      let document = try world.store.document("photo:\(template.id)")
      for start in stride(from: 0, to: PhotoFeed.bufferedEvents + 10, by: 101) {
        let copies = (start..<start + 101).map { number in
          Document(
            id: "photo:\(PhotoID.make(at: 1_800_000_000_000 + Int64(number)))", body: document.body,
            attachments: ["full.jpg", "thumb.jpg"].map {
              Core.Attachment(name: $0, contentType: "image/jpeg", content: .inline([1]))
            })
        }
        _ = try world.store.write(copies, mode: .edits)
        for _ in copies { #expect(await quick.next() != nil) }
      }
      var count = 0
      for await _ in slow { count += 1 }
      #expect(count == PhotoFeed.bufferedEvents)
    }
  }

  @Test("two libraries over one remote database see each other's photos, events and removals")
  func remote() async throws {
    try await withRemote { open, behind in
      let one = try await open()
      let two = try await open()
      var events = two.events().makeAsyncIterator()
      await two.eventsReady()
      var fixture = PhotoFixture()
      (fixture.width, fixture.height, fixture.noise) = (1800, 900, 10)
      let bytes = fixture.jpeg()
      let photo = try await one.add(bytes, title: "Far", by: "ann").photo
      #expect(await events.next() == .added(photo))
      #expect(try await two.newest(50).photos == [photo])
      #expect(try await two.newest(50, by: "ann").photos == [photo])
      #expect(try await two.newest(50, by: "bob").photos.isEmpty)
      #expect(try await two.photo(number: photo.number) == photo)
      #expect(try await two.upload(sentDigest: digest(bytes), by: "ann") == photo)
      #expect(try await two.add(bytes, title: "Again", by: "ann").isDuplicate)
      for size in PictureSize.allCases {
        let picture = try #require(try await two.picture(size, of: photo.id))
        let bytes = try await picture.all()
        #expect(Int64(bytes.count) == photo.pictures[size]?.length)
        #expect(bytes.starts(with: [0xff, 0xd8]) && bytes.suffix(2) == [0xff, 0xd9])
      }
      // Numbers come from one counter.
      var numbers: Set<Int32> = [photo.number]
      for quality in 50..<56 {
        let library = quality % 2 == 0 ? one : two
        numbers.insert(try await library.addPicture(Int32(quality), by: "bob").photo.number)
      }
      #expect(numbers.count == 7)
      var seen: [PhotoID] = []
      var cursor: PhotoID?
      repeat {
        let page = try await one.newest(3, before: cursor)
        seen += page.photos.map(\.id)
        cursor = page.next
      } while cursor != nil
      #expect(seen.count == 7 && seen == seen.sorted(by: >))
      #expect(try await !two.remove(photo.id, by: "bob"))
      #expect(try await two.remove(photo.id, by: "ann"))
      #expect(try await one.photo(photo.id) == nil)
      #expect(try await one.newest(50).photos.count == 6)
      #expect(try behind.localDocuments().isEmpty)
      await one.close()
      await two.close()
    }
  }

  @Test("identical uploads through two servers at once are one photo")
  func remoteDuplicates() async throws {
    try await withRemote { open, _ in
      let libraries = [try await open(), try await open()]
      let added = try await withThrowingTaskGroup(of: AddedPhoto.self) { group in
        for index in 0..<6 {
          group.addTask { try await libraries[index % 2].addPicture() }
        }
        return try await group.reduce(into: [AddedPhoto]()) { $0.append($1) }
      }
      #expect(Set(added.map(\.photo.id)).count == 1)
      #expect(try await libraries[0].newest(50).photos.count == 1)
      for library in libraries { await library.close() }
    }
  }
}
