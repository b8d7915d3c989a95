import Foundation
import Testing

@testable import Photos

/// The files of `Corpus`, each with the outcome that its manifest expects.
struct CorpusTests {
  struct Manifest: Decodable {
    var files: [Entry]
  }

  struct Entry: Decodable, Sendable, CustomTestStringConvertible {
    var file: String
    var expect: String
    var error: String?
    var out: Picture?
    var mustNotContain: [String]?

    var testDescription: String { file }

    enum CodingKeys: String, CodingKey {
      case file, expect, error, out
      case mustNotContain = "must_not_contain"
    }
  }

  struct Picture: Decodable, Sendable {
    var width: Int
    var height: Int
    var colours: [String: [Int]]?
    var tolerance: Int?
    var gray: Bool?

    enum CodingKeys: String, CodingKey {
      case width, height, tolerance, gray
      case colours = "quadrant_centre_rgb"
    }
  }

  static let folder = Bundle.module.resourceURL?.appendingPathComponent("Corpus")
  static let entries: [Entry] = {
    guard let url = folder?.appendingPathComponent("manifest.json"),
      let data = try? Data(contentsOf: url),
      let manifest = try? JSONDecoder().decode(Manifest.self, from: data)
    else { return [] }
    return manifest.files
  }()

  static func bytes(_ name: String) throws -> [UInt8] {
    try Array(Data(contentsOf: #require(folder).appendingPathComponent(name)))
  }

  /// The memory that any file of the corpus may take.
  static var options: PhotoOptions {
    var options = PhotoOptions()
    options.limits.memory = 150_000_000
    options.wantsCaptureTime = true
    return options
  }

  @Test("the corpus is there")
  func complete() { #expect(Self.entries.count == 60) }

  @Test("each file gets its verdict, and the picture it should", arguments: entries)
  func verdict(entry: Entry) throws {
    let result = outcome(try Self.bytes(entry.file), Self.options)
    switch entry.expect {
    case "accept": #expect(result.verdict == "accepted")
    case "reject": #expect(result.verdict == entry.error)
    default: #expect(["accepted", entry.error].contains(result.verdict))
    }
    guard case .success(let photo) = result else { return }
    let pictures = [photo.full, photo.thumbnail] + (photo.view.map { [$0] } ?? [])
    for picture in pictures {
      expectBarePicture(picture.bytes, "\(entry.file)")
      for text in (entry.mustNotContain ?? []) + ["Exif", "http://", "ICC_PROFILE"] {
        #expect(Data(picture.bytes).range(of: Data(text.utf8)) == nil, "\(text)")
      }
    }
    guard let out = entry.out else { return }
    #expect(photo.full.width == out.width && photo.full.height == out.height)
    let pixels = try Pixels(photo.full.bytes)
    #expect(pixels.width == out.width && pixels.height == out.height)
    let (width, height) = (out.width, out.height)
    let places = [
      "tl": (3 * width / 8, height / 8), "tr": (3 * width / 4, height / 4),
      "bl": (width / 4, 3 * height / 4), "br": (3 * width / 4, 3 * height / 4),
    ]
    for (name, place) in places {
      let colour = pixels[place.0, place.1]
      if out.gray == true { #expect(colour[0] == colour[1] && colour[1] == colour[2]) }
      guard let wanted = out.colours?[name], let tolerance = out.tolerance else { continue }
      for (got, wanted) in zip(colour, wanted) {
        #expect(abs(got - wanted) <= tolerance, "\(name)")
      }
    }
  }

  @Test("a file, bytes and two threads give the same answer", arguments: entries)
  func sameAnswer(entry: Entry) throws {
    let first = outcome(try Self.bytes(entry.file), Self.options)
    let path = try #require(Self.folder).appendingPathComponent(entry.file).path
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    var twice = Self.options
    twice.usesTwoThreads = true
    for options in [Self.options, twice] {
      let result = Result { () throws(PhotoRefusal) in
        try PhotoPipeline.process(.file(descriptor: descriptor), options)
      }
      #expect(result == first)
    }
    #expect(lseek(descriptor, 0, SEEK_CUR) == 0, "the file's position is left alone")
  }

  @Test("names and media types are never asked: what it is, its first bytes say")
  func otherFormats() throws {
    let said = [
      "svg_named.jpg": "SVG", "php_named.jpg": "PHP", "heic_header_named.jpg": "HEIC",
      "jp2_named.jpg": "JPEG 2000", "elf_named.jpg": "ELF",
    ]
    for (file, name) in said {
      guard case .failure(let refusal) = outcome(try Self.bytes(file)) else {
        Issue.record("\(file) was accepted")
        continue
      }
      #expect(refusal.message.contains(name), "\(file): \(refusal.message)")
    }
  }

  @Test("the capture time is given only when it is asked for")
  func captureTime() throws {
    let file = try Self.bytes("exif_gps_fake.jpg")
    #expect(try PhotoPipeline.process(.bytes(file)).captured == nil)
    let photo = try PhotoPipeline.process(.bytes(file), Self.options)
    #expect(photo.captured?.description == "2001-02-03T04:05:06")
  }
}
