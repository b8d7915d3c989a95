import Core
import HTTP

/// Several revisions of a document as `multipart/mixed`: a JSON part each, a `multipart/related` one
/// for those with attachments, and `{"missing": …}` for those that are not there.
struct MultipartRevisions {
  private let answers: [OpenRevision]

  init(_ answers: [OpenRevision]) { self.answers = answers }

  /// The answer of `?open_revs=`.
  var response: HTTPResponse {
    get throws {
      let parts = try answers.map { answer -> MultipartBody.Part in
        switch answer {
        case .missing(let revision):
          let json: JSON = ["missing": .string(revision.description)]
          return MultipartBody.Part(
            headers: ["Content-Type": "application/json; error=\"true\""],
            body: HTTPBody(json.serializedBytes()))
        case .found(let document):
          guard document.attachments.contains(where: \.isStaged) else {
            return MultipartBody.Part(
              headers: ["Content-Type": "application/json"], body: HTTPBody(document.jsonBytes))
          }
          let nested = try MultipartDocument(document).body()
          return MultipartBody.Part(
            headers: ["Content-Type": nested.frame.contentType("related")], body: nested.body)
        }
      }
      let body = MultipartBody(parts)
      return HTTPResponse(
        headers: [
          "Content-Type": body.frame.contentType("mixed"), "Cache-Control": "must-revalidate",
        ],
        streaming: body.body)
    }
  }
}
