import ArgumentParser
import Core

/// The topics of `tote help`.
enum HelpTexts {
  static let topics = [
    HelpTopic("dates", abstract: "how dates are written", text: dates),
    HelpTopic("environment", abstract: "the variables tote reads", text: environment),
    HelpTopic("exit-codes", abstract: "what the exit status says", text: exitCodes),
    HelpTopic("json", abstract: "what scripts may rely on", text: json),
    HelpTopic("server", abstract: ServerTopic.abstract, text: ServerTopic.text),
  ]

  static let dates = """
    Wherever a command takes WHEN, these forms are understood, in any case of letters. The result is \
    shown, so that a misread date is seen at once; anything else is refused, and nothing is guessed.

        today, tomorrow, yesterday   that day
        mon … sun, monday … sunday   the next such day after today
        next mon                     that day of the next week
        3d, +2w, +1m, +1y, in 3 days counted from today
        +4h, +90min                  counted from now
        eow, eom, eoy                the end of this week, month, year
        sow, som, soy                the start of the next one
        2026-12-24, 12-24, 24th      that day, or the next such day
        fri 17:00, tomorrow 5pm      a day with a time
        17:00, 5pm, noon             the next such time
        2026-12-24T17:00+01:00, …T16:00Z
        none                         no date

    A month after the 31st is the last day of a shorter month. Weeks begin on Monday. Times are \
    local, and keep their time on the clock over changes to summer time and back: a time that does \
    not exist moves forward, one that exists twice is the first. A date without a time stays a date, \
    in every time zone.
    """

  static let environment =
    "These variables change what tote does. An option wins over a variable, and a variable over what "
    + "is built in; an empty variable counts as not set.\n\n"
    + EnvironmentGuide.variables.map { "    \($0.name)\n        \($0.meaning)\n" }.joined()

  static let exitCodes =
    "The exit status tells the class of a failure; the exact kind is the 'code' of the error object "
    + "that --json prints on standard error.\n\n"
    + ExitClass.allCases.map { "    \(aligned($0.rawValue))  \($0.meaning)\n" }.joined()
      + """

      If several inputs fail, each failure is told, and the status is the gravest; if only some fail, \
      it is 1. A command stopped by Ctrl-C or by SIGTERM cleans up and dies by that signal, which a \
      shell shows as 130 or 143.
      """

  static let json = """
    With --json (-j) a command prints exactly one JSON document on standard output, also when there \
    is nothing to list ('[]') and when a part of its work failed. With --jsonl it prints one object a \
    line, and nothing for an empty list. Documents are indented on a terminal and on one line \
    elsewhere.

    Keys stand in a fixed order, are present also when their value is null, and keep their meaning \
    until the next major version; new keys may be added, and readers must ignore keys they do not \
    know. Times are RFC 3339 in UTC, dates are YYYY-MM-DD. Text is UTF-8; integers are exact.

    Errors and warnings are objects on standard error, one a line:

        {"error":{"code":"not_found","message":"…","hint":"…"}}
        {"warning":{"code":"lossy","message":"…"}}

    The code is a stable word: usage, invalid_input, not_found, unreachable, exists, cannot_create, \
    io, conflict, busy, forbidden, unauthorized, wrong_passphrase, config, partial or failed; errors \
    of a query have CouchDB's words. Further keys name what the error is about.
    """

  private static func aligned(_ code: Int32) -> String {
    String(repeating: " ", count: code < 10 ? 1 : 0) + String(code)
  }
}
