import CGnuTLS
import Glibc

/// Writes an answer past libmicrohttpd, which takes none in the middle of a body.
enum DirectAnswer {
  /// Sends without waiting: what the socket's buffer does not take is lost, and the connection
  /// closed by the caller anyway.
  static func send(_ response: HTTPResponse, descriptor: Int32, session: UnsafeMutableRawPointer?) {
    guard case .bytes(let body) = response.body else { return }
    var head = "HTTP/1.1 \(response.status) \(reason(response.status))\r\n"
    head += "Date: \(HTTPDate.format(Int64(time(nil))))\r\n"
    for field in response.headers where isSent(field.name) {
      head += "\(field.name): \(cleanFieldValue(field.value))\r\n"
    }
    head += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
    var bytes = Array(head.utf8) + body
    bytes.withUnsafeMutableBytes { bytes in
      if let session {
        guard tote_tls_load() == 0 else { return }
        _ = tote_tls_send(session, bytes.baseAddress, min(bytes.count, 16 << 10))
      } else {
        _ = Glibc.send(
          descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
    }
  }

  private static func isSent(_ name: String) -> Bool {
    !["content-length", "transfer-encoding", "date", "connection"].contains(asciiLowercased(name))
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 409: "Conflict"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 415: "Unsupported Media Type"
    case 422: "Unprocessable Content"
    case 429: "Too Many Requests"
    case 500: "Internal Server Error"
    case 503: "Service Unavailable"
    case 507: "Insufficient Storage"
    default: "Answer"
    }
  }
}
