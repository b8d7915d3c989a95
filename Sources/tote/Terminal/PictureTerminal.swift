import Glibc

/// How a terminal can be made to show a picture.
enum PictureProtocol: Sendable, Equatable {
  /// The graphics protocol of kitty, which Ghostty, WezTerm and Konsole have too.
  case kitty
  /// Sixel graphics of DEC's VT340, with so many colours at a time.
  case sixel(colours: Int)
  /// Two pixels in each cell, as colours of a half block and of what is behind it.
  case blocks(BlockColours)

  /// The colours that cells can have.
  enum BlockColours: Sendable, Equatable {
    /// Any, of 24 bits.
    case direct
    /// Those of the palette of 256.
    case indexed
  }
}

/// The size of a terminal's cell in its own pixels.
struct CellSize: Sendable, Equatable {
  var width: Int
  var height: Int

  /// What is taken where the terminal does not tell: twice as tall as wide, as most fonts are.
  static let usual = CellSize(width: 10, height: 20)
}

/// What is known about a terminal as a place for pictures.
struct PictureTerminal: Sendable, Equatable {
  /// How it shows them.
  var language: PictureProtocol
  /// The size of its cells.
  var cell: CellSize
  /// Columns it has.
  var columns: Int
  /// Rows it has.
  var rows: Int
  /// Whether it shows half blocks as such.
  var isUTF8: Bool

  /// Decides how pictures are shown, or that they are not.
  ///
  /// No colour means no pictures. The terminal's own answer counts most; the environment speaks for
  /// one that could not be asked. Within tmux and screen graphics get lost as soon as a window is
  /// drawn anew, half blocks never.
  ///
  /// - Parameters:
  ///   - traits: what is known about the stream.
  ///   - environment: the variables that terminals set.
  ///   - answers: what the terminal said; nil when it was not asked.
  /// - Returns: nil when there is nothing to show pictures on.
  static func decide(
    _ traits: Streams.Traits, _ environment: Environment, _ answers: TerminalAnswers?
  ) -> PictureProtocol? {
    guard traits.color else { return nil }
    let name = environment["TERM"] ?? ""
    let blocks = PictureProtocol.blocks(colours(name, environment, answers))
    guard traits.isTerminal, !isMultiplexed(environment) else { return blocks }
    if let answers, answers.hasAnswered {
      if answers.hasKittyGraphics { return .kitty }
      return answers.hasSixel ? .sixel(colours: answers.sixelColours) : blocks
    }
    let isKitty = environment.nonEmpty("KITTY_WINDOW_ID") != nil || name == "xterm-kitty"
    return isKitty || name == "xterm-ghostty" ? .kitty : blocks
  }

  /// Whether another program stands between this one and the terminal.
  static func isMultiplexed(_ environment: Environment) -> Bool {
    let name = environment["TERM"] ?? ""
    return environment.nonEmpty("TMUX") != nil || environment.nonEmpty("STY") != nil
      || name.hasPrefix("screen") || name.hasPrefix("tmux")
  }

  private static func colours(
    _ name: String, _ environment: Environment, _ answers: TerminalAnswers?
  ) -> PictureProtocol.BlockColours {
    if answers?.hasDirectColour == true { return .direct }
    switch environment.nonEmpty("COLORTERM") {
    case "truecolor"?, "24bit"?: return .direct
    case _?: return .indexed
    // A shell on another machine is not told; wrong colours are worse than few.
    case nil:
      return ["direct", "kitty", "alacritty", "ghostty", "foot"].contains { name.contains($0) }
        ? .direct : .indexed
    }
  }
}
