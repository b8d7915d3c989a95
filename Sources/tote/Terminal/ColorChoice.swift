/// What `--color` says.
enum ColorChoice: String, Sendable, CaseIterable {
  case auto, always, never
}

/// Decides once per stream whether it gets colour.
///
/// The first rule that applies wins: the flag; `NO_COLOR` (an explicit wish to have none wins over
/// the wish to force it); `CLICOLOR_FORCE`; `CLICOLOR=0`; a terminal that cannot; and last whether
/// *this* stream is a terminal.
func decideColor(choice: ColorChoice, environment: Environment, isTerminal: Bool) -> Bool {
  switch choice {
  case .always: return true
  case .never: return false
  case .auto: break
  }
  if environment.nonEmpty("NO_COLOR") != nil { return false }
  if let force = environment.nonEmpty("CLICOLOR_FORCE"), force != "0" { return true }
  if environment["CLICOLOR"] == "0" { return false }
  guard let terminal = environment.nonEmpty("TERM"), terminal != "dumb" else { return false }
  return isTerminal
}
