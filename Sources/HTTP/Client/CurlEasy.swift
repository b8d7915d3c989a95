import CCurl

/// One handle of libcurl's easy interface with what was lent to it; used by the loop's thread only.
final class CurlEasy {
  let pointer: UnsafeMutableRawPointer
  private var lists: [UnsafeMutablePointer<curl_slist>] = []
  private var errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  init?() {
    guard let pointer = tote_curl_easy_init() else {
      errorText.deallocate()
      return nil
    }
    self.pointer = pointer
    errorText.pointee = 0
  }

  deinit {
    tote_curl_easy_cleanup(pointer)
    freeLists()
    errorText.deallocate()
  }

  /// Back to a fresh handle; its connections live on in the multi handle's pool.
  func reset() {
    tote_curl_easy_reset(pointer)
    freeLists()
    errorText.pointee = 0
  }

  /// What libcurl says about the last failure, if it says more than its code.
  var detail: String { String(cString: errorText) }

  func watchErrors() {
    tote_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText)
  }

  func set(_ option: CURLoption, _ value: Int) {
    tote_curl_set_long(pointer, option, value)
  }

  func set(_ option: CURLoption, _ value: Bool) {
    tote_curl_set_long(pointer, option, value ? 1 : 0)
  }

  /// libcurl copies texts.
  func set(_ option: CURLoption, _ value: String) {
    _ = value.withCString { tote_curl_set_pointer(pointer, option, $0) }
  }

  func set(_ option: CURLoption, pointer value: UnsafeMutableRawPointer?) {
    tote_curl_set_pointer(pointer, option, value)
  }

  func set(_ option: CURLoption, offset value: Int64) {
    tote_curl_set_offset(pointer, option, Int(value))
  }

  /// Lists stay lent until the next reset.
  func set(_ option: CURLoption, list texts: [String]) {
    var list: UnsafeMutablePointer<curl_slist>?
    for text in texts {
      guard let longer = tote_curl_list_append(list, text) else { break }
      list = longer
    }
    guard let list else { return }
    lists.append(list)
    tote_curl_set_pointer(pointer, option, list)
  }

  func unpause() {
    tote_curl_easy_pause(pointer, Int32(CURLPAUSE_CONT))
  }

  private func freeLists() {
    for list in lists { tote_curl_list_free(list) }
    lists = []
  }
}
