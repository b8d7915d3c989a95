import HTTP

extension DropPage {
  /// A file that can be fetched.
  public struct Download: Sendable {
    /// Its name, with the folders of a sent folder before it.
    public var name: String
    /// Bytes; nil when nobody knows.
    public var size: Int64?
    /// Where it is fetched: an absolute path, percent-encoded.
    public var path: String

    /// Describes a file.
    public init(name: String, size: Int64?, path: String) {
      self.name = name
      self.size = size
      self.path = path
    }
  }

  /// The page on which a phone fetches what was offered to it.
  ///
  /// - Parameters:
  ///   - files: the files, in the order to show them; may be empty.
  ///   - sender: the name of the machine that offers.
  ///   - isEncrypted: false over plain HTTP; the page says so then.
  /// - Returns: the page.
  public static func offer(_ files: [Download], sender: String, isEncrypted: Bool) -> DropPage {
    let known = files.compactMap(\.size)
    let total = known.count == files.count ? ", " + HTML.size(known.reduce(0, +)) : ""
    let number = files.count == 1 ? "1 file" : "\(files.count) files"
    let warning = isEncrypted ? "" : " Not encrypted: whoever is in this network could read along."
    let items: [HTML] = files.map { file in
      """
      <li><span class="name" dir="auto">\(file.name)</span>\
      <a class="go" href="\(file.path)" download aria-label="Save \(file.name)">Save</a>\
      <span class="size">\(file.size.map { HTML.size($0) } ?? "")</span></li>

      """
    }
    return DropPage(
      title: "Files from \(sender)",
      body: """
        <h1>Files from <bdi>\(sender)</bdi></h1>
        <p>\(number)\(total).\(warning)</p>
        <ul class="files">
        \(items)</ul>

        """)
  }
}
