import CCurl

extension Transfer {
  /// libcurl's result as an error; nil for success.
  func error(code: Int) -> HTTPError? {
    guard code != 0 else { return nil }
    let detail = easy?.detail ?? ""
    let text = detail.isEmpty ? String(cString: tote_curl_easy_strerror(Int32(code))) : detail
    let host = request.url.authority
    return switch UInt32(code) {
    case CURLE_COULDNT_RESOLVE_HOST.rawValue, CURLE_COULDNT_RESOLVE_PROXY.rawValue:
      .nameNotResolved(host: host, code: code, text: text)
    case CURLE_COULDNT_CONNECT.rawValue, CURLE_INTERFACE_FAILED.rawValue:
      .connectionFailed(host: host, code: code, text: text)
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH.rawValue:
      .tls(.pinMismatch, host: host, code: code, text: text)
    case CURLE_PEER_FAILED_VERIFICATION.rawValue, CURLE_SSL_ISSUER_ERROR.rawValue,
      CURLE_SSL_INVALIDCERTSTATUS.rawValue:
      .tls(.untrusted, host: host, code: code, text: text)
    case CURLE_SSL_CACERT_BADFILE.rawValue:
      .tls(.authorities, host: host, code: code, text: text)
    case CURLE_SSL_CONNECT_ERROR.rawValue, CURLE_SSL_CIPHER.rawValue,
      CURLE_SSL_CERTPROBLEM.rawValue, CURLE_USE_SSL_FAILED.rawValue:
      .tls(.handshake, host: host, code: code, text: text)
    case CURLE_OPERATION_TIMEDOUT.rawValue: .timedOut(.connect)
    case CURLE_GOT_NOTHING.rawValue, CURLE_SEND_ERROR.rawValue, CURLE_RECV_ERROR.rawValue,
      CURLE_PARTIAL_FILE.rawValue, CURLE_ABORTED_BY_CALLBACK.rawValue,
      CURLE_SEND_FAIL_REWIND.rawValue, CURLE_HTTP2_STREAM.rawValue:
      .connectionClosed(text: text)
    case CURLE_WEIRD_SERVER_REPLY.rawValue, CURLE_UNSUPPORTED_PROTOCOL.rawValue,
      CURLE_BAD_CONTENT_ENCODING.rawValue, CURLE_HTTP2.rawValue:
      .protocolViolation(text: text)
    case CURLE_URL_MALFORMAT.rawValue: .invalidURL(request.url.description)
    default: .transfer(code: code, text: text)
    }
  }
}
