import Testing

@testable import Photos

/// What a file is, by its first bytes.
struct FileFormatTests {
  static let heads: [(FileFormat, [UInt8])] = [
    (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]), (.png, [0x89] + Array("PNG\r\n\u{1A}\n".utf8)),
    (.gif, Array("GIF89a".utf8)), (.webP, Array("RIFF\u{1}\0\0\0WEBPVP8 ".utf8)),
    (.film, Array("RIFF\u{1}\0\0\0AVI LIST".utf8)),
    (.heic, [0, 0, 0, 24] + Array("ftypheic\0\0\0\0mif1heic".utf8)),
    (.heic, [0, 0, 0, 24] + Array("ftypmif1\0\0\0\0mif1heic".utf8)),
    (.avif, [0, 0, 0, 28] + Array("ftypmif1\0\0\0\0mif1avifmiaf".utf8)),
    (.film, [0, 0, 0, 24] + Array("ftypmp42\0\0\0\0mp42isom".utf8)),
    (.jpeg2000, [0, 0, 0, 12] + Array("jP  \r\n".utf8)), (.jpegXL, [0xFF, 0x0A, 1]),
    (.tiff, Array("II*\0".utf8)), (.tiff, Array("MM\0*".utf8)),
    (.bmp, Array("BM".utf8) + [1, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0]),
    (.pdf, Array("%PDF-1.7".utf8)),
    (.svg, Array("<?xml version=\"1.0\"?>\n<svg xmlns=\"\">".utf8)), (.svg, Array("  <SVG>".utf8)),
    (.php, Array("<?php echo 1;".utf8)), (.php, Array("#!/usr/bin/php\n".utf8)),
    (.script, Array("#!/bin/sh\n".utf8)), (.html, Array("<!DOCTYPE html><p>".utf8)),
    (.elf, [0x7F] + Array("ELF".utf8)), (.windowsProgram, Array("MZ\u{1}".utf8)),
    (.zip, Array("PK\u{3}\u{4}".utf8)), (.gzip, [0x1F, 0x8B, 8]), (.text, Array("hello\n".utf8)),
    (.unknown, [0, 1, 2, 3]), (.unknown, []), (.unknown, [0xFF]), (.unknown, [0xFF, 0xD8, 0]),
  ]

  @Test("known formats are named", arguments: heads)
  func named(format: FileFormat, head: [UInt8]) {
    #expect(FileFormat(head: head) == format)
    let padded = head + [UInt8](repeating: 0x20, count: 600)
    #expect(FileFormat(head: padded) == format || format == .unknown)
  }

  @Test("what is no JPEG is refused with its name", arguments: heads.filter { $0.0 != .jpeg })
  func refused(format: FileFormat, head: [UInt8]) {
    let result = outcome(head)
    #expect(result == .failure(head.isEmpty ? .empty : .notJPEG(format)))
  }

  @Test("a JPEG behind other bytes, or other bytes behind a JPEG's start, are no JPEG")
  func polyglots() throws {
    let file = PhotoFixture().jpeg()
    for front in [Array("GIF89a".utf8), Array("<?php ?>".utf8), [0], Array("%PDF-1.4\n".utf8)] {
      #expect(outcome(front + file).verdict == "not_jpeg")
    }
    let fake: [UInt8] = [0xFF, 0xD8, 0xFF] + Array("<?php system($_GET['c']); ?>".utf8)
    #expect(outcome(fake).verdict == "corrupt")
  }

  @Test("what hides in a JPEG (an archive, a page, a script) does not survive")
  func hidden() throws {
    let texts = ["<?php evil() ?>", "<script>evil()</script>", "PK\u{3}\u{4}evil", "MZevil()"]
    for text in texts {
      let bytes = Array(text.utf8)
      let file =
        PhotoFixture().jpeg().inserting(
          Segment(marker: 0xFE, body: bytes), Segment(marker: 0xE1, body: bytes),
          Segment(marker: 0xED, body: bytes), Segment(marker: 0xEF, body: bytes)) + bytes
      let photo = try outcome(file).get()
      #expect(photo.notes == [.trailingDataDropped])
      for stored in [photo.full.bytes, photo.thumbnail.bytes] {
        expectBarePicture(stored, "\(text)")
        #expect(!stored.indices.contains { stored[$0...].starts(with: Array("evil".utf8)) })
      }
    }
  }

  @Test("immich#21499: a second picture behind the first is dropped, with a note")
  func secondPicture() throws {
    let one = PhotoFixture().jpeg()
    let index = Segment(
      marker: 0xE2, body: Array("MPF\0".utf8) + [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0])
    for file in [one + one, one.inserting(index) + one, one.inserting(index)] {
      let photo = try outcome(file).get()
      #expect(photo.notes == [.extraPicturesDropped])
      expectBarePicture(photo.full.bytes, "one picture")
    }
  }
}
