import Core
import Glibc
import HTTP
import TestSupport
import Testing

@testable import Photos

/// Uploads: forms and bare pictures, duplicates, refusals and limits.
struct UploadTests {
  @Test("a bare picture is added under its title, and told with its address")
  func bare() async throws {
    try await withPhotoService { service in
      let user = try await service.user("ann")
      let answer = try await service.upload(try PhotoService.picture(), title: "a & b", user)
      #expect(answer.status == 201 && answer.json["duplicate"] == false)
      #expect(answer.json["title"] == "a & b" && answer.json["user"] == "ann")
      #expect(
        answer.json.objectValue?.keys == [
          "id", "number", "title", "user", "width", "height", "created", "taken", "placeholder",
          "notes", "full", "view", "thumb", "duplicate",
        ])
      let location = try #require(answer.headers["Location"])
      let photo = try await service.send(location)
      #expect(photo.status == 200 && photo.json["id"] == answer.json["id"])
      #expect(photo.json["duplicate"] == nil)
    }
  }

  @Test("a form gives the same, whichever field comes first")
  func form() async throws {
    try await withPhotoService { service in
      let user = try await service.user("ann")
      for isTitleFirst in [true, false] {
        var form = FormFixture()
        if isTitleFirst { form.add("title", "my cat") }
        form.add(file: try PhotoService.picture(isTitleFirst ? 1 : 2), named: "IMG_1.jpg")
        if !isTitleFirst { form.add("title", "my cat") }
        let answer = try await service.upload(form: form, user)
        #expect(answer.status == 201 && answer.json["title"] == "my cat")
      }
    }
  }

  // immich-app/immich#15051: a known file is a normal answer, not an error.
  @Test("immich-app/immich#15051: the same file again is 200 with the photo that is there")
  func duplicate() async throws {
    try await withPhotoService { service in
      let user = try await service.user("ann")
      let file = try PhotoService.picture()
      let first = try await service.upload(file, title: "one", user)
      let second = try await service.upload(file, title: "two", user)
      #expect(second.status == 200 && second.json["duplicate"] == true)
      #expect(second.json["id"] == first.json["id"] && second.json["title"] == "one")
      #expect(try await service.library.newest(10).photos.count == 1)
    }
  }

  // immich-app/immich#30374, LibrePhotos CVE-2026-57943.
  @Test("whether a file is known can be asked before it is sent, by its sender only")
  func sent() async throws {
    try await withPhotoService { service in
      let ann = try await service.user("ann")
      let bob = try await service.user("bob")
      let file = try PhotoService.picture()
      var hasher = SHA256()
      hasher.update(file)
      let digest = hexadecimal(hasher.finish())
      let path = "/api/v1/photos/sent/\(digest)"
      #expect(try await service.send(path).status == 401)
      #expect(try await service.send(path, ann).status == 404)
      let added = try await service.upload(file, ann)
      #expect(try await service.send(path, ann).json["id"] == added.json["id"])
      let upper = "/api/v1/photos/sent/\(digest.uppercased())"
      #expect(try await service.send(upper, ann).status == 200)
      #expect(try await service.send(path, bob).status == 404)
      let own = try await service.upload(file, bob)
      #expect(own.status == 201 && own.json["id"] != added.json["id"])
    }
  }

  @Test("other users' photos cannot be removed, and are said not to be there")
  func others() async throws {
    try await withPhotoService { service in
      _ = try await service.user("ann")
      let bob = try await service.user("bob")
      let photo = try await service.photo(by: "ann")
      let path = "/api/v1/photos/\(photo.id)"
      let refused = try await service.send(.delete, path, bob)
      let missing = try await service.send(.delete, "/api/v1/photos/\(RouteTests.id)", bob)
      #expect(refused.status == 404 && refused.bytes == missing.bytes)
      #expect(try await service.send(.delete, path).status == 401)
      #expect(try await service.send(path).status == 200)
    }
  }

  @Test("without a login the answer comes before the body is asked for")
  func unauthorized() async throws {
    try await withPhotoService { service in
      let body = HTTPBody(length: 1000) {
        Issue.record("the body was read")
        return nil
      }
      for type in ["image/jpeg", FormFixture().contentType] {
        let answer = try await service.send(
          .post, "/api/v1/photos", ["Content-Type": type], body: body)
        #expect(answer.status == 401 && answer.headers["WWW-Authenticate"] != nil)
      }
    }
  }

  @Test("what is too large by its headers is refused before the body, else in the middle of it")
  func tooLarge() async throws {
    try await withPhotoService {
      $0.photo.limits.bytes = 100_000
    } _: { service in
      var user = try await service.user("ann")
      user["Content-Type"] = "image/jpeg"
      let declared = HTTPBody(length: 10_000_000) {
        Issue.record("the body was read")
        return nil
      }
      let early = try await service.send(.post, "/api/v1/photos", user, body: declared)
      #expect(early.status == 413 && early.code == "too_many_bytes")
      let pieces = Pieces()
      let endless = HTTPBody { await pieces.next() }
      let late = try await service.send(.post, "/api/v1/photos", user, body: endless)
      #expect(late.status == 413 && late.code == "too_many_bytes")
      #expect(await pieces.count <= 12)
      #expect(try Folder(service.spoolFolder).names().isEmpty)
    }
  }

  private actor Pieces {
    var count = 0
    func next() -> [UInt8]? {
      count += 1
      return [UInt8](repeating: 0xff, count: 10_000)
    }
  }

  // immich-app/immich#25202, photoprism/photoprism#210: errors name the file.
  @Test("immich-app/immich#25202: a refusal names the file, and its reason is that of the pipeline")
  func refusals() async throws {
    try await withPhotoService { service in
      let user = try await service.user("ann")
      for (file, status, code) in [
        ("svg_named.jpg", 415, "not_jpeg"), ("trunc_50pct.jpg", 422, "truncated"),
        ("sof_width_zero.jpg", 422, "corrupt"),
      ] {
        var form = FormFixture()
        form.add(file: try CorpusTests.bytes(file), named: "holiday 1.jpg")
        let answer = try await service.upload(form: form, user)
        #expect(answer.status == status && answer.code == code)
        #expect(answer.json["error"]?["file"] == "holiday 1.jpg")
        #expect(answer.json["error"]?["message"]?.stringValue?.contains("'holiday 1.jpg'") == true)
      }
      let empty = try await service.upload([], user)
      #expect(empty.status == 422 && empty.code == "empty")
    }
  }

  @Test("notes tell what was remarkable")
  func notes() async throws {
    try await withPhotoService { service in
      let user = try await service.user("ann")
      let file = try CorpusTests.bytes("trunc_no_eoi.jpg")
      let answer = try await service.upload(file, user)
      #expect(answer.status == 201 && answer.json["notes"] == ["no_eoi"])
    }
  }

  @Test("what is neither a form nor a picture is 415, a form without a file 400")
  func types() async throws {
    try await withPhotoService { service in
      var user = try await service.user("ann")
      for type in ["text/html", "application/json", "application/x-www-form-urlencoded"] {
        user["Content-Type"] = type
        let answer = try await service.send(.post, "/api/v1/photos", user, body: HTTPBody("x"))
        #expect(answer.status == 415, "\(type)")
      }
      user["Content-Type"] = nil
      #expect(
        try await service.send(.post, "/api/v1/photos", user, body: HTTPBody("x")).status == 415)
      #expect(try await service.upload(form: FormFixture(["title": "x"]), user).status == 400)
      user["Content-Type"] = "image/jpeg"
      user["Content-Encoding"] = "gzip"
      #expect(
        try await service.send(.post, "/api/v1/photos", user, body: HTTPBody("x")).status == 415)
    }
  }

  @Test("forms that are broken, or have too much of anything, are refused")
  func brokenForms() async throws {
    try await withPhotoService { service in
      let user = try await service.user("ann")
      var two = FormFixture()
      two.add(file: try PhotoService.picture(), named: "a.jpg")
      two.add(file: try PhotoService.picture(1), named: "b.jpg")
      var many = FormFixture()
      for index in 0..<30 { many.add("f\(index)", "x") }
      let long = FormFixture(["title": String(repeating: "a", count: 5000)])
      for form in [two, many, long] {
        #expect(try await service.upload(form: form, user).status == 400)
      }
      var cut = user
      cut["Content-Type"] = two.contentType
      let answer = try await service.send(
        .post, "/api/v1/photos", cut, body: HTTPBody(Array(two.bytes.prefix(300))))
      #expect(answer.status == 400)
      #expect(try await service.library.newest(10).photos.isEmpty)
    }
  }

  @Test("too many uploads or bytes a minute are told when to go on")
  func rates() async throws {
    let now = ContinuousClock.now
    try await withPhotoService {
      $0.rates.uploads = 2
      $0.clock = { now }
    } _: { service in
      let user = try await service.user("ann")
      var statuses: [Int] = []
      for number in 0..<3 {
        statuses.append(try await service.upload(try PhotoService.picture(number), user).status)
      }
      #expect(statuses == [201, 201, 429])
    }
    try await withPhotoService {
      $0.rates.uploadBytes = 100
      $0.clock = { now }
    } _: { service in
      let user = try await service.user("ann")
      #expect(try await service.upload(try PhotoService.picture(1), user).status == 201)
      let answer = try await service.upload(try PhotoService.picture(2), user)
      #expect(answer.status == 429 && answer.headers["Retry-After"] != nil)
      // Somebody else is not held back, if the address has not used up its own.
      let bob = try await service.user("bob")
      #expect(
        [201, 429].contains(try await service.upload(try PhotoService.picture(1), bob).status))
    }
  }

  @Test(
    "with all places taken the answer is 429 before the body, and a place that is free again is used"
  )
  func full() async throws {
    try await withPhotoService { service in
      var user = try await service.user("ann")
      user["Content-Type"] = "image/jpeg"
      var admissions: [UploadQueue.Admission] = []
      while let admission = try? service.server.queue.admit(Array("user ann".utf8)) {
        admissions.append(admission)
      }
      let body = HTTPBody(length: 1000) {
        Issue.record("the body was read")
        return nil
      }
      let answer = try await service.send(.post, "/api/v1/photos", user, body: body)
      #expect(answer.status == 429 && answer.headers["Retry-After"] != nil)
      admissions.removeAll()
      #expect(service.server.queue.load == (0, 0, 0))
      #expect(try await service.upload(try PhotoService.picture(), user).status == 201)
    }
  }

  @Test("a full disk is 507 and leaves nothing")
  func diskFull() {
    let problem = PhotoProblem(StoreError.diskFull(path: "/secret/place"))
    #expect(problem.status == 507 && !problem.message.contains("secret"))
    #expect(PhotoProblem(PhotoRefusal.unwritable(ENOSPC)).status == 507)
    #expect(PhotoProblem(PhotoRefusal.unwritable(EDQUOT)).status == 507)
    #expect(PhotoProblem(PhotoRefusal.unwritable(EIO)).status == 503)
  }

  @Test("leftovers of uploads are swept at start, and nothing has a name while it comes")
  func spool() throws {
    try withTemporaryDirectory { folder in
      let path = folder + "/spool"
      try Folder(path).create()
      for name in ["upload-old", "upload-", "keep"] {
        _ = try OpenFile(path + "/" + name, O_WRONLY | O_CREAT)
      }
      let spool = try UploadSpool(folder: path)
      #expect(try Folder(path).names() == ["keep"])
      let writer = try spool.writer()
      try writer.write(Array("abc".utf8))
      #expect(try Folder(path).names() == ["keep"])
      let file = try writer.finish()
      #expect(file.length == 3)
      #expect(
        hexadecimal(file.digest)
          == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
    }
  }

  @Test("the queue works on so many at a time, in their order, and forgets who went away")
  func queue() async throws {
    let queue = UploadQueue(
      UploadQueue.Limits(workers: 1, waiting: 2, admitted: 10, admittedPerSender: 2))
    let first = try queue.admit([1])
    let second = try queue.admit([1])
    #expect(throws: PhotoProblem.self) { _ = try queue.admit([1]) }
    let third = try queue.admit([2])
    let (steps, step) = AsyncStream<Int>.makeStream()
    let (gate, open) = AsyncStream<Void>.makeStream()
    let running = Task {
      try await first.work {
        step.yield(1)
        for await _ in gate { break }
      }
    }
    var seen = steps.makeAsyncIterator()
    #expect(await seen.next() == 1)
    let waiting = Task { try await second.work { _ = step.yield(2) } }
    while queue.load.waiting < 1 { await Task.yield() }
    let leaving = Task { try await third.work { _ = step.yield(3) } }
    while queue.load.waiting < 2 { await Task.yield() }
    // Both places for waiting are taken: nobody is let in.
    #expect(throws: PhotoProblem.self) { _ = try queue.admit([3]) }
    leaving.cancel()
    await #expect(throws: CancellationError.self) { try await leaving.value }
    open.yield()
    try await running.value
    try await waiting.value
    #expect(await seen.next() == 2)
    #expect(queue.load.working == 0 && queue.load.waiting == 0)
  }
}
