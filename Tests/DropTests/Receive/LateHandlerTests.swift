import HTTP
import Testing

@testable import Drop

/// The handler that stands before a receiver's own.
@Suite struct LateHandlerTests {
  @Test("however many requests came before, a request is answered by the handler alone")
  func many() async throws {
    let late = LateHandler()
    let request = try HTTPRequest(method: .get, target: "/")
    #expect(await late.answer(request).status == 404)
    late.set { _ in HTTPResponse(status: 204) }
    // A closure that was wrapped anew at each look was 50,000 calls deep at the end of this.
    for _ in 0..<50_000 {
      let answer = await late.answer(request)
      guard answer.status == 204 else {
        Issue.record("answered \(answer.status)")
        return
      }
    }
  }
}
