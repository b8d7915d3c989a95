import Core
import Photos

/// Adds files, several at a time, and tells what became of each in the order they were named.
struct PhotoAdding: Sendable {
  let context: Context
  let place: PhotoPlace
  let title: String
  let options: PhotoOptions
  let isDryRun: Bool
  let jobs: Int

  /// Adds all files.
  ///
  /// - Parameter inputs: the files.
  /// - Throws: the failures of single files when all others are done; at once what makes going on
  ///   useless.
  func add(_ inputs: [PhotoInput]) async throws {
    var report = AddingReport(context, total: inputs.count, isDryRun: isDryRun)
    do {
      try await withThrowingTaskGroup(of: (Int, AddedFile).self) { group in
        var started = 0
        for _ in 0..<inputs.count {
          while started < inputs.count, started < report.taken + jobs {
            let (index, input) = (started, inputs[started])
            started += 1
            group.addTask { (index, try await add(input)) }
          }
          guard let (index, row) = try await group.next() else { break }
          try report.take(row, at: index)
        }
      }
    } catch {
      // A list that was begun stays one document, and what failed before is told too.
      try report.end()
      throw report.joined(with: error)
    }
    try report.finish()
  }

  private func add(_ input: PhotoInput) async throws -> AddedFile {
    let outcome: AddedFile.Outcome
    do {
      let file = try SourceFile(input, temporaryFolder: context.environment.nonEmpty("TMPDIR"))
      outcome = try await add(file)
    } catch PhotoRefusal.cancelled where Task.isCancelled {
      throw CancellationError()
    } catch let error as any UserFacing where !Self.endsAll(error) {
      outcome = .refused(NamedFileError(file: input.name, cause: error))
    }
    return AddedFile(file: input.name, outcome: outcome, isDryRun: isDryRun)
  }

  private func add(_ file: SourceFile) async throws -> AddedFile.Outcome {
    let added: AddedPhoto
    switch place {
    case _ where isDryRun:
      if let photo = try await place.upload(sentDigest: try file.sha256()) {
        return .duplicate(photo)
      }
      return .possible(try PhotoPipeline.process(file.source, options) { _ in })
    case .library(let library, let user):
      added = try await library.add(
        file.source, sentDigest: try file.sha256(), title: title, by: user, options)
    case .server(let client, _):
      added = try await patiently { try await client.add(file: file.path, title: title) }
    }
    // Until here, or the descriptor could be closed and given to another file.
    return withExtendedLifetime(file) {
      added.isDuplicate ? .duplicate(added.photo) : .added(added.photo)
    }
  }

  /// Tries again while the service says that it has too much to do.
  private func patiently<Result>(_ body: () async throws -> Result) async throws -> Result {
    var tries = 0
    while true {
      do {
        return try await body()
      } catch PhotoServerError.refused(429, _, _, let seconds) where tries < Self.patience {
        tries += 1
        try await Task.sleep(for: .seconds(min(max(1, seconds ?? tries), 30)))
      }
    }
  }

  /// How often a busy service is asked again for one file.
  private static let patience = 20

  /// Whether every further file would fail for the same reason.
  private static func endsAll(_ error: any UserFacing) -> Bool {
    if error is OutputError { return true }
    if error is PhotoRefusal || error is InputError {
      return error.exitClass == .configuration
    }
    return [.notPermitted, .unreachable, .configuration, .inputOutput].contains(error.exitClass)
  }
}
