import CMicroHTTPD
import Synchronization

extension Exchange {
  /// Fills the library's buffer with the answer's body: a count, 0 after suspending, -1 or -2.
  func fill(_ buffer: UnsafeMutableRawBufferPointer, from pipe: BytePipe) -> Int {
    while true {
      let isCut = shared.withLock { shared in
        shared.wasWoken = false
        return shared.isCut
      }
      if isCut { return -2 }
      switch pipe.read(into: buffer) {
      case .bytes(let count): return count
      case .end: return -1
      case .failure: return -2
      case .empty:
        let isSuspended = shared.withLock { !$0.wasWoken && suspend(&$0) }
        if isSuspended { return 0 }
      }
    }
  }

  func receivedHeaders() -> HTTPHeaders {
    var headers = HTTPHeaders()
    withUnsafeMutablePointer(to: &headers) { headers in
      tote_mhd_headers(handle.pointer, headers, Self.takeHeader)
    }
    return headers
  }

  private static let takeHeader:
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafePointer<CChar>?, Int, UnsafePointer<CChar>?, Int
    ) -> Void = { context, name, nameSize, value, valueSize in
      guard let headers = context?.assumingMemoryBound(to: HTTPHeaders.self) else { return }
      headers.pointee.add(
        UnsafeRawBufferPointer(start: name, count: nameSize).text,
        UnsafeRawBufferPointer(start: value, count: valueSize).text)
    }
}
