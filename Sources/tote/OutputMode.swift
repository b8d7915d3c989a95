/// The form results are printed in.
enum OutputMode: Sendable {
  /// Tables and text; separated by tabs where stdout is not a terminal.
  case human
  /// Exactly one JSON document (`--json`).
  case json
  /// One JSON object a line (`--jsonl`).
  case jsonLines

  init(_ options: GlobalOptions) {
    self = options.json ? .json : options.jsonLines ? .jsonLines : .human
  }
}
