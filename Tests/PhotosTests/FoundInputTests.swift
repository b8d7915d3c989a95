import Foundation
import Testing

@testable import Photos

/// Inputs that fuzzing found, in `Found`: the first byte of each chooses options, as in the
/// fuzzing target.
struct FoundInputTests {
  static let files: [String] = {
    guard let folder = Bundle.module.resourceURL?.appendingPathComponent("Found") else { return [] }
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }()

  @Test("each gets an answer, the same each time, within its limits", arguments: files)
  func answered(file: String) throws {
    let folder = try #require(Bundle.module.resourceURL).appendingPathComponent("Found")
    let input = try Data(contentsOf: folder.appendingPathComponent(file))
    for damage in [DamagePolicy.strict, .recoverable, .anything] {
      for usesTwoThreads in [false, true] {
        var options = PhotoOptions()
        options.limits.memory = 50_000_000
        options.limits.pixels = 1_000_000
        options.damage = damage
        options.usesTwoThreads = usesTwoThreads
        options.wantsCaptureTime = true
        options.maximumSide = (input.first ?? 0) & 1 == 0 ? nil : 100
        let result = outcome(Array(input.dropFirst()), options)
        #expect(outcome(Array(input.dropFirst()), options) == result)
        if case .success(let photo) = result { expectBarePicture(photo.full.bytes, "\(file)") }
      }
    }
  }
}
