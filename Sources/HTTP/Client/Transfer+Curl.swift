import CCurl

extension Transfer {
  /// Sets up a handle for the request.
  func configure(_ easy: CurlEasy) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    easy.watchErrors()
    easy.set(CURLOPT_NOSIGNAL, true)
    easy.set(CURLOPT_URL, request.url.requestText)
    // Dot segments are part of document ids: they go out as they are.
    easy.set(CURLOPT_PATH_AS_IS, true)
    easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
    easy.set(CURLOPT_FOLLOWLOCATION, false)
    easy.set(CURLOPT_TCP_KEEPALIVE, true)
    easy.set(CURLOPT_BUFFERSIZE, 128 << 10)
    easy.set(CURLOPT_UPLOAD_BUFFERSIZE, 128 << 10)
    if request.decompresses { easy.set(CURLOPT_ACCEPT_ENCODING, "") }
    easy.set(
      CURLOPT_HTTP_VERSION,
      options.allowsHTTP2 ? Int(CURL_HTTP_VERSION_2TLS) : Int(CURL_HTTP_VERSION_1_1))
    if let connect = timeouts.connect {
      easy.set(CURLOPT_CONNECTTIMEOUT_MS, Int(max(1, connect.milliseconds)))
    }
    configureTrust(easy)
    configureProxy(easy)
    configureBody(easy, context)
    easy.set(CURLOPT_HTTPHEADER, list: headerLines())
    easy.set(CURLOPT_HEADERDATA, pointer: context)
    tote_curl_set_transfer_callback(easy.pointer, CURLOPT_HEADERFUNCTION) {
      text, size, count, context in
      guard let context, let text else { return 0 }
      Transfer.from(context).receiveHeader(
        UnsafeRawBufferPointer(start: text, count: size * count))
      return size * count
    }
    easy.set(CURLOPT_WRITEDATA, pointer: context)
    tote_curl_set_transfer_callback(easy.pointer, CURLOPT_WRITEFUNCTION) {
      text, size, count, context in
      guard let context, let text else { return 0 }
      return Transfer.from(context).receiveBody(
        UnsafeRawBufferPointer(start: text, count: size * count))
    }
  }

  private static func from(_ context: UnsafeMutableRawPointer) -> Transfer {
    Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  }

  private func configureTrust(_ easy: CurlEasy) {
    switch options.trust {
    case .system: break
    case .authorities(let path):
      easy.set(CURLOPT_CAINFO, path)
      tote_curl_set_pointer(easy.pointer, CURLOPT_CAPATH, nil)
    case .pin(let pin):
      // The key is the identity: names and authorities of a self-made certificate prove nothing.
      // Both switches are needed: with checks on, a right pin still fails.
      easy.set(CURLOPT_PINNEDPUBLICKEY, pin.description)
      easy.set(CURLOPT_SSL_VERIFYPEER, false)
      easy.set(CURLOPT_SSL_VERIFYHOST, 0)
      // Else it reads all the system's authorities for each connection.
      tote_curl_set_pointer(easy.pointer, CURLOPT_CAINFO, nil)
      tote_curl_set_pointer(easy.pointer, CURLOPT_CAPATH, nil)
    case .systemAndPin(let pin): easy.set(CURLOPT_PINNEDPUBLICKEY, pin.description)
    }
    easy.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
  }

  private func configureProxy(_ easy: CurlEasy) {
    // Set always, so that libcurl does not read the environment itself.
    easy.set(CURLOPT_PROXY, options.proxies[request.url.scheme] ?? "")
    easy.set(CURLOPT_NOPROXY, options.noProxy ?? "")
  }

  private func configureBody(_ easy: CurlEasy, _ context: UnsafeMutableRawPointer) {
    switch request.body {
    case .none:
      if request.method == .head { easy.set(CURLOPT_NOBODY, true) }
      if request.method == .post || request.method == .put || request.method == .patch {
        // An empty body has a length too: CouchDB answers 411 or waits without one.
        easy.set(CURLOPT_POST, true)
        easy.set(CURLOPT_POSTFIELDSIZE_LARGE, offset: 0)
      }
    case .bytes(let bytes): configureUpload(easy, context, size: Int64(bytes.count))
    case .file(let file): configureUpload(easy, context, size: file.length)
    case .stream(let body): configureUpload(easy, context, size: body.length ?? -1)
    }
    if request.method != .head { easy.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue) }
  }

  private func configureUpload(
    _ easy: CurlEasy, _ context: UnsafeMutableRawPointer, size: Int64
  ) {
    // As a POST, whose size and "chunked" libcurl handles; the method's name is set besides.
    easy.set(CURLOPT_POST, true)
    easy.set(CURLOPT_POSTFIELDSIZE_LARGE, offset: size)
    easy.set(CURLOPT_READDATA, pointer: context)
    tote_curl_set_transfer_callback(easy.pointer, CURLOPT_READFUNCTION) {
      buffer, size, count, context in
      guard let context, let buffer else { return Int(CURL_READFUNC_ABORT) }
      return Transfer.from(context).sendBody(
        UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
    }
    easy.set(CURLOPT_SEEKDATA, pointer: context)
    tote_curl_set_seek_callback(easy.pointer) { context, offset, origin in
      guard let context, origin == 0 else { return 1 }
      return Transfer.from(context).rewind(to: Int64(offset))
    }
  }

  private func headerLines() -> [String] {
    var lines: [String] = []
    for field in request.headers {
      // libcurl takes `Name:` as "do not send", and `Name;` as an empty value.
      lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    if !request.headers.contains("User-Agent") { lines.append("User-Agent: \(options.userAgent)") }
    if !request.headers.contains("Content-Type") { lines.append("Content-Type:") }
    if !request.headers.contains("Accept") { lines.append("Accept: */*") }
    if isChunked { lines.append("Transfer-Encoding: chunked") }
    lines.append(expects ? "Expect: 100-continue" : "Expect:")
    return lines
  }

  private var isChunked: Bool {
    if case .stream(let body) = request.body { body.length == nil } else { false }
  }

  private var expects: Bool {
    if let wish = request.expectsContinue { return wish }
    return switch request.body {
    case .none: false
    case .bytes(let bytes): bytes.count > 1 << 20
    case .file(let file): file.length > 1 << 20
    case .stream(let body): body.length ?? .max > 1 << 20
    }
  }

  // MARK: Callbacks

  /// One line of a head: a status line begins a new one, the empty line ends it.
  private func receiveHeader(_ bytes: UnsafeRawBufferPointer) {
    lastProgress = monotonicMilliseconds()
    var line = bytes[...]
    while let last = line.last, last == 0x0d || last == 0x0a { line.removeLast() }
    if line.isEmpty {
      // 1xx heads are followed by another; 101 is never asked for. A proxy's head is not shown.
      if status >= 200, !hasHead { deliverHead() }
      return
    }
    if line.starts(with: "HTTP/".utf8) {
      let parts = line.split(separator: 0x20, maxSplits: 2)
      headers = HTTPHeaders()
      version = parts[0].dropFirst(5).text
      status = parts.count > 1 ? Int(decimalNumber(parts[1]) ?? 0) : 0
      return
    }
    guard !hasHead, let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
    headers.add(
      trimmingBlanks(line[..<colon]).text, trimmingBlanks(line[(colon + 1)...]).text)
  }

  private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    lastProgress = monotonicMilliseconds()
    if isDownloadFull {
      isDownloadPaused = true
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    isDownloadPaused = false
    isDownloadFull = !download.push(Array(bytes))
    return bytes.count
  }

  private func sendBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    lastProgress = monotonicMilliseconds()
    isUploadPaused = false
    switch request.body {
    case .none: return 0
    case .bytes(let bytes):
      let count = min(buffer.count, bytes.count - Int(uploadPosition))
      bytes.withUnsafeBytes { source in
        buffer.copyMemory(
          from: UnsafeRawBufferPointer(
            rebasing: source[Int(uploadPosition)..<Int(uploadPosition) + count]))
      }
      uploadPosition += Int64(count)
      return count
    case .file(let file):
      let count = file.read(at: uploadPosition, into: buffer)
      guard count > 0 || uploadPosition == file.length else { return Int(CURL_READFUNC_ABORT) }
      uploadPosition += Int64(count)
      return count
    case .stream:
      switch upload.read(into: buffer) {
      case .bytes(let count):
        uploadPosition += Int64(count)
        return count
      case .end: return 0
      case .failure: return Int(CURL_READFUNC_ABORT)
      case .empty:
        isUploadPaused = true
        return Int(CURL_READFUNC_PAUSE)
      }
    }
  }

  /// A kept connection turned out to be closed, or authentication needs another round.
  private func rewind(to position: Int64) -> Int32 {
    if case .stream = request.body { return position == uploadPosition ? 0 : 2 }
    uploadPosition = position
    return 0
  }
}

extension WebURL {
  /// What libcurl is given: no user-info, no fragment.
  var requestText: String { "\(scheme.rawValue)://\(authority)\(target)" }
}
