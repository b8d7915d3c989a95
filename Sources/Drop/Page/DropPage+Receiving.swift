import HTTP

extension DropPage {
  /// The page on which a phone chooses what it sends.
  ///
  /// With JavaScript every file is sent by itself, with progress, and goes on after a break; without
  /// it the form sends all of them at once to `form`.
  ///
  /// - Parameters:
  ///   - base: the path of the session, with a slash at both ends: `/TOKEN/`.
  ///   - receiver: the name of the machine that receives.
  ///   - isEncrypted: false over plain HTTP; the page says so then.
  /// - Returns: the page, less than 20 KB.
  public static func receiving(base: String, receiver: String, isEncrypted: Bool) -> DropPage {
    let title = "Send to \(receiver)"
    let note =
      isEncrypted
      ? "They go straight to it, encrypted, and nowhere else."
      : "They go straight to it and nowhere else, but not encrypted: "
        + "whoever is in this network could read along."
    return DropPage(
      title: title,
      body: """
        <h1>Send to <bdi>\(receiver)</bdi></h1>
        <p>Choose photos or files. \(note)</p>
        <div id="drop" data-base="\(base)" data-receiver="\(receiver)">
        <form method="post" action="\(base)form" enctype="multipart/form-data">
        <div class="choose">
        <label>Photos <small>and videos</small>\
        <input type="file" name="photos" multiple accept="image/*,image/heic,image/heif,video/*">\
        </label>
        <label>Files <small>of any kind</small><input type="file" name="files" multiple></label>
        </div>
        <button>Send</button>
        </form>
        <p id="note" role="status"></p>
        <ul id="files"></ul>
        <button type="button" id="done" hidden>Done</button>
        <p id="over" tabindex="-1" hidden>All done. You can close this page.</p>
        </div>

        """,
      script: .script)
  }

  /// What became of one file of the form.
  public struct Outcome: Sendable {
    /// The name, as it was saved or else as it was sent.
    public var name: String
    /// Why it was not saved; nil when it was.
    public var reason: String?

    /// Tells that a file was saved, or why not.
    public init(name: String, reason: String? = nil) {
      self.name = name
      self.reason = reason
    }
  }

  /// The answer to the form.
  ///
  /// - Parameters:
  ///   - outcomes: what became of each file; may be empty.
  ///   - base: the path of the session, with a slash at both ends.
  ///   - receiver: the name of the machine that receives.
  /// - Returns: the page.
  public static func sent(_ outcomes: [Outcome], base: String, receiver: String) -> DropPage {
    let saved = outcomes.count { $0.reason == nil }
    let title =
      outcomes.isEmpty
      ? "No file was chosen" : saved == 1 ? "1 file sent" : "\(saved) files sent"
    let items: [HTML] = outcomes.map { outcome in
      """
      <li class="\(outcome.reason == nil ? "saved" : "failed")">\
      <span class="name" dir="auto">\(outcome.name)</span>\
      <span class="note">\(outcome.reason ?? "Sent")</span></li>

      """
    }
    return DropPage(
      title: title,
      body: """
        <h1>\(title)</h1>
        <p>To <bdi>\(receiver)</bdi>.</p>
        <ul>
        \(items)</ul>
        <p><a class="go" href="\(base)">Send more</a></p>

        """)
  }
}
