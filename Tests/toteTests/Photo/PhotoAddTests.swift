import ArgumentParser
import Core
import Foundation
import Glibc
import Photos
import TestSupport
import Testing

@testable import tote

/// `tote photo add`: what becomes of files, and what is told of it.
struct PhotoAddTests {
  @Test("electerious/Lychee#731: the same verdict as the pipeline for every file of the corpus")
  func corpus() async throws {
    try await withPhotoHome { home in
      #expect(PhotoCorpus.names.count == 60)
      let (ran, rows) = try await home.add(PhotoCorpus.folder, "--jobs", "4")
      #expect(ran.status == 1)
      #expect(rows.count == PhotoCorpus.names.count)
      var photos = 0
      for (name, row) in zip(PhotoCorpus.names, rows) {
        #expect(row.text("file") == PhotoCorpus.path(name))
        let bytes = try PhotoCorpus.bytes(name)
        let result = Result { () throws(PhotoRefusal) in try PhotoPipeline.process(.bytes(bytes)) }
        switch result {
        case .success(let photo):
          photos += 1
          #expect(row.text("status") == "accepted", "\(name)")
          #expect(row["width"]?.integerValue == Int64(photo.full.width), "\(name)")
          #expect(row["height"]?.integerValue == Int64(photo.full.height), "\(name)")
          #expect(
            row["notes"]?.arrayValue?.compactMap(\.stringValue) == photo.notes.map(\.rawValue))
        case .failure(let refusal):
          #expect(row.text("status") == "refused", "\(name)")
          #expect(row.text("code") == refusal.code, "\(name)")
          #expect(row.text("message") == refusal.message, "\(name)")
        }
      }
      #expect(try await home.stream("--limit", "200").count == photos)
      // The whole list again: nothing new, the same refusals.
      let again = try await home.add(PhotoCorpus.folder)
      #expect(again.rows.filter { $0.text("status") == "duplicate" }.count == photos)
      #expect(again.ran.status == 1)
    }
  }

  @Test(
    "photoprism#210, sigal#394, immich#25202: each error names its file, and the others go on")
  func names() async throws {
    try await withPhotoHome { home in
      try home.copy("gray.jpg", to: "a.jpg")
      try home.copy("trunc_50pct.jpg", to: "b cut.jpg")
      try home.copy("php_named.jpg", to: "c.jpg")
      try home.copy("orient_6.jpg", to: "d.jpg")
      let ran = try await home.tote(
        "photo", "add", "--user", "ann", home.files, home.files + "/missing.jpg")
      #expect(ran.status == 1)
      #expect(ran.errors.contains("'\(home.files)/b cut.jpg': the picture is cut off"))
      #expect(ran.errors.contains("'\(home.files)/c.jpg': not a JPEG picture but a PHP script"))
      #expect(ran.errors.contains("'\(home.files)/missing.jpg': cannot read"))
      #expect(ran.errors.contains("3 of 5 failed"))
      #expect(ran.errors.contains("added 2 photos, 3 refused"))
      #expect(ran.output.split(separator: "\n").count == 2)
    }
  }

  @Test("immich#3567, CLI#117: failures are listed for scripts and count in the status")
  func failures() async throws {
    try await withPhotoHome { home in
      try home.copy("only_soi.jpg", to: "bad.jpg")
      try home.copy("gray.jpg", to: "good.jpg")
      let (ran, rows) = try await home.add(home.files)
      #expect(ran.status == 1)
      #expect(rows.map { $0.text("status") } == ["refused", "accepted"])
      #expect(rows[0]["id"] == .null && rows[0].text("code") != nil)
      #expect(rows[1]["code"] == .null && rows[1]["message"] == .null)
      let errors = try ran.errors.split(separator: "\n").map { try JSON(parsing: String($0)) }
      #expect(errors.first?["error"]?["file"]?.stringValue == home.files + "/bad.jpg")
      #expect(errors.last?["error"]?["code"]?.stringValue == "partial")
      // One file, refused: its own class.
      let one = try await home.add(home.files + "/bad.jpg")
      #expect(one.ran.status == 65)
      #expect(one.ran.errorCode == rows[0].text("code"))
    }
  }

  @Test("immich#15051: a duplicate is a normal answer with the photo's id, whatever its name")
  func duplicates() async throws {
    try await withPhotoHome { home in
      let first = try home.copy("gray.jpg", to: "one.jpg")
      let second = try home.copy("gray.jpg", to: "two.jpg")
      let id = try await home.add(first).rows.first?.text("id")
      let (ran, rows) = try await home.add(second)
      #expect(ran.status == 0)
      #expect(ran.errors.isEmpty)
      #expect(rows.first?.text("status") == "duplicate")
      #expect(id != nil && rows.first?.text("id") == id)
      let shown = try await home.tote("photo", "add", "--user", "ann", first, second)
      #expect(shown.status == 0)
      #expect(shown.errors.contains("added 0 photos, 2 already there"))
      // What another user has is another photo, and nobody is told of it.
      let other = try await home.tote("photo", "add", "--user", "ben", "--jsonl", first)
      #expect(try JSON(parsing: other.output).text("status") == "accepted")
      #expect(try await home.stream().count == 2)
    }
  }

  @Test("the same file twice in one run is one photo") func twiceAtOnce() async throws {
    try await withPhotoHome { home in
      for number in 0..<6 { try home.copy("orient_2.jpg", to: "\(number).jpg") }
      let (ran, rows) = try await home.add(home.files, "--jobs", "6")
      #expect(ran.status == 0)
      #expect(rows.filter { $0.text("status") == "accepted" }.count == 1)
      #expect(Set(rows.compactMap { $0.text("id") }).count == 1)
    }
  }

  @Test("photoview#757: what cannot be read does not end the run") func unreadable() async throws {
    try await withPhotoHome { home in
      try home.copy("gray.jpg", to: "a.jpg")
      try FileManager.default.createDirectory(
        atPath: home.files + "/b.jpg", withIntermediateDirectories: true)
      #expect(symlink("nowhere", home.files + "/c.jpg") == 0)
      #expect(mkfifo(home.files + "/d.jpg", 0o600) == 0)
      try home.copy("orient_2.jpg", to: "z/e.jpg")
      let (ran, rows) = try await home.add(
        home.files, home.files + "/c.jpg", home.files + "/d.jpg", home.files + "/z/e.jpg")
      // In the folder: a.jpg and z/e.jpg; a folder, a dangling link and a pipe are no pictures.
      #expect(
        rows.map { $0.text("status") }
          == ["accepted", "accepted", "refused", "refused", "duplicate"])
      #expect(ran.status == 1)
    }
  }

  @Test("folders are walked in order; hidden files and other kinds are left out")
  func walking() async throws {
    try await withPhotoHome { home in
      for file in [
        "b/2.JPG", "b/1.jpeg", "a.jpg", "._a.jpg", ".thumbs/x.jpg", "notes.txt", "c.png",
        "d/e/f.jfif",
      ] {
        try home.copy("gray.jpg", to: file)
      }
      try await home.add(PhotoCorpus.path("orient_2.jpg"))
      #expect(symlink(home.files, home.files + "/loop") == 0)
      #expect(symlink("a.jpg", home.files + "/link.jpg") == 0)
      let rows = try await home.add(home.files + "/", "--dry-run").rows
      #expect(
        rows.compactMap { $0.text("file")?.dropFirst(home.files.count + 1) }
          == ["a.jpg", "b/1.jpeg", "b/2.JPG", "d/e/f.jfif", "link.jpg"])
      // What is named counts, whatever its name says.
      let named = try await home.add(home.files + "/c.png")
      #expect(named.rows.first?.text("status") == "accepted")
    }
  }

  @Test("'--dry-run' gives each verdict and changes nothing") func dryRun() async throws {
    try await withPhotoHome { home in
      try home.copy("gray.jpg", to: "a.jpg")
      try home.copy("trunc_50pct.jpg", to: "b.jpg")
      let missing = try await home.add(home.files, "--dry-run")
      // Without a library there is nothing to compare with.
      #expect(missing.ran.status == 66)
      try await home.add(home.files + "/a.jpg")
      try home.copy("orient_7.jpg", to: "c.jpg")
      let (ran, rows) = try await home.add(home.files, "--dry-run")
      #expect(ran.status == 1)
      #expect(rows.map { $0.text("status") } == ["duplicate", "refused", "accepted"])
      #expect(rows.allSatisfy { $0["dryRun"] == true })
      #expect(rows[2]["id"] == .null && rows[2]["width"] == 96)
      #expect(try await home.stream().count == 1)
    }
  }

  @Test("damage: taken with a note, refused with --strict, all taken with --accept-damaged")
  func damage() async throws {
    try await withPhotoHome { home in
      let damaged = try home.copy("bitrot_40_bytes.jpg", to: "rot.jpg")
      let cut = try home.copy("trunc_50pct.jpg", to: "cut.jpg")
      #expect(try await home.add(damaged, "--strict").rows.first?.text("code") == "damaged")
      let taken = try await home.add(damaged).rows.first
      #expect(taken?["notes"]?.arrayValue?.contains("damaged") == true)
      #expect(try await home.add(cut).rows.first?.text("code") == "truncated")
      let kept = try await home.add(cut, "--accept-damaged").rows.first
      #expect(kept?["notes"]?.arrayValue?.contains("missing_pixels") == true)
      let both = try await home.tote("photo", "add", cut, "--strict", "--accept-damaged")
      #expect(both.status == 64)
    }
  }

  @Test("immich#1302, #27495: nothing of the file but its pixels is kept, not even its name")
  func privacy() async throws {
    try await withPhotoHome { home in
      let file = try home.copy("exif_gps_fake.jpg", to: "IMG_20010203_home.jpg")
      try await home.add(file)
      let photo = try #require(try await home.stream("--save", home.path + "/saved").first)
      #expect(photo["taken"] == .null)
      #expect(photo.text("title") == "")
      #expect(!"\(photo)".contains("IMG_2001"))
      let saved = try #require(photo.text("file"))
      #expect(saved == home.path + "/saved/\(photo.text("id") ?? "").jpg")
      let bytes = try Data(contentsOf: URL(fileURLWithPath: saved))
      for text in ["Exif", "GPS", "IMG_2001", "2001:02:03"] {
        #expect(bytes.range(of: Data(text.utf8)) == nil, "\(text)")
      }
      let dated = try home.copy("exif_gps_fake.jpg", to: "again.jpg")
      try await home.tote("photo", "add", "--user", "ben", "--keep-date", dated)
      #expect(try await home.stream("--user", "ben").first?.text("taken") == "2001-02-03T04:05:06")
    }
  }

  @Test("--max-side makes a picture smaller and says so; Lychee#151: limits are in the message")
  func sizes() async throws {
    try await withPhotoHome { home in
      let file = try home.copy("gray.jpg", to: "a.jpg")
      let row = try await home.add(file, "--max-side", "48").rows.first
      #expect(row?["width"] == 48 && row?["height"] == 32)
      #expect(row?["notes"]?.arrayValue == ["reduced"])
      let bomb = try home.copy("bomb_16000x16000_arith_valid.jpg", to: "bomb.jpg")
      let refused = try await home.add(bomb).rows.first
      #expect(refused?.text("code") == "too_many_pixels")
      #expect(refused?.text("message")?.contains("limit of") == true)
      #expect(try await home.stream().count == 1)
    }
  }

  @Test("files may be named on standard input, by lines or NUL, and one may be there itself")
  func standardInput() async throws {
    try await withPhotoHome { home in
      let first = try home.copy("gray.jpg", to: "a b.jpg")
      let second = try home.copy("orient_2.jpg", to: "c.jpg")
      for list in ["\(first)\n\(second)\n", "\(first)\r\n\(second)", "\(first)\0\(second)\0"] {
        let ran = try await home.tote(
          "photo", "add", "--user", "ann", "--jsonl", "--files-from", "-", input: list)
        #expect(ran.status == 0, "\(ran.errors)")
        #expect(ran.output.split(separator: "\n").count == 2)
      }
      #expect(try await home.stream().count == 2)
      let empty = try await home.tote("photo", "add", "--user", "ann", "--json", "-")
      #expect(empty.status == 65)
      #expect(try empty.json.arrayValue?.first?.text("code") == "empty")
      #expect(empty.errors.contains("'-'"))
    }
    try withTote { tote in
      let result = try tote.shell(
        "tote photo add --user ann --jsonl - < '\(PhotoCorpus.path("gray.jpg"))'")
      #expect(result.exitCode == 0, "\(result.errors)")
      #expect(result.output.contains("\"status\":\"accepted\""))
    }
  }

  @Test("immich-go#1327: nothing waits for a key, and the status tells") func scripts() throws {
    try withTote { tote in
      let result = try tote.shell(
        "tote photo add --user ann '\(PhotoCorpus.path("only_soi.jpg"))' </dev/null; echo \"s=$?\"")
      #expect(result.output == "s=65\n")
    }
  }

  @Test("--json is one document, empty or not, also when a user's name is impossible")
  func document() async throws {
    try await withPhotoHome { home in
      let ran = try await home.tote("photo", "add", "--user", "ann", "--json", home.files)
      #expect(ran.status == 0)
      #expect(ran.output == "[]\n")
      #expect(ran.errors.isEmpty)
      let file = try home.copy("gray.jpg", to: "a.jpg")
      let wrong = try await home.tote("photo", "add", "--user", "../x", "--json", file)
      #expect(wrong.status == 65)
      #expect(wrong.errorCode == "invalid_username")
      let keys = try await home.tote("photo", "add", "--user", "Ann", "--json", file)
      #expect(
        try keys.json.arrayValue?.first?.objectValue?.keys == PhotoAdd.outputKeys.map(\.name))
      #expect(try await home.stream("--user", "ann").count == 1)
    }
  }

  @Test("the first photo makes the library and says so; other commands say how")
  func library() async throws {
    try await withPhotoHome { home in
      let none = try await home.tote("photo", "stream")
      #expect(none.status == 66)
      #expect(none.errors.contains("there is no library 'photos' yet"))
      #expect(none.errors.contains("tote photo add FILE"))
      let file = try home.copy("gray.jpg", to: "a.jpg")
      let ran = try await home.tote("photo", "add", "--user", "ann", file)
      #expect(ran.errors.contains("created library 'photos'"))
      #expect(
        !(try await home.tote("photo", "add", "--user", "ann", file)).errors.contains("created"))
      let other = try await home.tote(
        "photo", "add", "--user", "ann", "--library", "album", file)
      #expect(other.errors.contains("created library 'album'"))
      #expect(try home.stores.names().contains("album"))
    }
  }
}
