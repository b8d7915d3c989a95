import Core
import Foundation
import HTTP
import Testing

@testable import Photos

/// Every file of the corpus by HTTP: the verdict of the pipeline, and nothing that must not be kept.
struct CorpusUploadTests {
  @Test("each file gets the pipeline's verdict, as a form and bare")
  func verdicts() async throws {
    try await withPhotoService {
      $0.photo.limits.memory = 150_000_000
    } _: { service in
      var isBare = false
      let user = try await service.user("ann")
      for entry in CorpusTests.entries {
        let file = try CorpusTests.bytes(entry.file)
        var form = FormFixture()
        form.add(file: file, named: entry.file)
        isBare.toggle()
        let answer =
          try await isBare
          ? service.upload(file, user) : service.upload(form: form, user)
        let expected = outcome(file, service.server.options.photo)
        switch expected {
        case .success(let made):
          #expect(answer.status == 201, "\(entry.file): \(answer.text)")
          #expect(
            answer.json["notes"] == .array(made.notes.map { .string($0.rawValue) }), "\(entry.file)"
          )
          #expect(answer.json["width"] == .integer(Int64(made.full.width)), "\(entry.file)")
          try await expectClean(answer, entry, service)
        case .failure(let refusal):
          #expect(answer.code == refusal.code, "\(entry.file)")
          #expect([413, 415, 422].contains(answer.status), "\(entry.file)")
        }
      }
      try expectClean(service)
    }
  }

  private func expectClean(
    _ answer: PhotoService.Answer, _ entry: CorpusTests.Entry, _ service: PhotoService
  ) async throws {
    for size in ["full", "view", "thumb"] {
      let url = try #require(answer.json[size]?["url"]?.stringValue)
      let picture = try await service.send(url)
      #expect(picture.status == 200)
      expectBarePicture(picture.bytes, "\(entry.file) \(size)")
    }
  }

  /// No forbidden text in any file below the service's folder, the database's log and pages too.
  private func expectClean(_ service: PhotoService) throws {
    let forbidden = Set(CorpusTests.entries.flatMap { $0.mustNotContain ?? [] } + ["<?php"])
    let files = try #require(FileManager.default.enumerator(atPath: service.folder))
    var count = 0
    for case let name as String in files {
      let url = URL(fileURLWithPath: service.folder + "/" + name)
      guard let data = try? Data(contentsOf: url) else { continue }
      count += 1
      for text in forbidden {
        #expect(data.range(of: Data(text.utf8)) == nil, "\(text) in \(name)")
      }
    }
    #expect(count > 10)
  }
}
