import Testing

@testable import tote

struct ColorDecisionTests {
  /// The rules of the manual, written a second time as a table of the first match.
  private func expected(_ choice: ColorChoice, _ variables: [String: String], _ isTerminal: Bool)
    -> Bool
  {
    if choice == .always { return true }
    if choice == .never { return false }
    if !(variables["NO_COLOR"] ?? "").isEmpty { return false }
    if !["", "0"].contains(variables["CLICOLOR_FORCE"] ?? "") { return true }
    if variables["CLICOLOR"] == "0" { return false }
    if ["", "dumb"].contains(variables["TERM"] ?? "") { return false }
    return isTerminal
  }

  @Test("cli#13335: every combination of flag, variables and terminal is decided by the first rule")
  func combinations() {
    var count = 0
    for choice in ColorChoice.allCases {
      for noColor in [nil, "", "1"] {
        for force in [nil, "", "0", "1"] {
          for clicolor in [nil, "0", "1"] {
            for term in [nil, "", "dumb", "xterm"] {
              for isTerminal in [false, true] {
                var variables: [String: String] = [:]
                variables["NO_COLOR"] = noColor
                variables["CLICOLOR_FORCE"] = force
                variables["CLICOLOR"] = clicolor
                variables["TERM"] = term
                let decided = decideColor(
                  choice: choice, environment: Environment(variables), isTerminal: isTerminal)
                #expect(decided == expected(choice, variables, isTerminal), "\(variables)")
                count += 1
              }
            }
          }
        }
      }
    }
    #expect(count == 864)
  }

  @Test("an explicit wish for no colour wins over the wish to force it")
  func optOutWins() {
    let environment = Environment(["NO_COLOR": "1", "CLICOLOR_FORCE": "1", "TERM": "xterm"])
    #expect(!decideColor(choice: .auto, environment: environment, isTerminal: true))
  }

  @Test(
    "swift-argument-parser#973: only a sensible COLUMNS counts",
    arguments: [
      (nil, nil, 80), (nil, 132, 132), ("100", 132, 100), ("0", 132, 132), ("-5", nil, 80),
      ("abc", 40, 40), ("1000000000", nil, 80), ("", 60, 60),
    ] as [(String?, Int?, Int)])
  func width(columns: String?, terminal: Int?, expected: Int) {
    #expect(decideWidth(columns: columns, terminal: terminal) == expected)
  }

  @Test(
    "the locale tells whether the terminal shows UTF-8",
    arguments: [
      ([:], true), (["LANG": "en_US.UTF-8"], true), (["LANG": "C"], false),
      (["LC_ALL": "C", "LANG": "en_US.UTF-8"], false), (["LC_CTYPE": "de_DE.utf8"], true),
    ] as [([String: String], Bool)])
  func locale(variables: [String: String], expected: Bool) {
    #expect(Environment(variables).isUTF8 == expected)
  }

  @Test(
    "the pager is TOTE_PAGER, PAGER or less; empty or cat is none",
    arguments: [
      ([:], "less -FRX"), (["PAGER": "more"], "more"),
      (["TOTE_PAGER": "most -s", "PAGER": "more"], "most -s"), (["PAGER": ""], nil),
      (["TOTE_PAGER": "", "PAGER": "more"], nil), (["PAGER": " cat "], nil),
    ] as [([String: String], String?)])
  func pager(variables: [String: String], expected: String?) {
    #expect(Pager.command(Environment(variables)) == expected)
  }
}

struct ExitClassTests {
  @Test("the gravest of two statuses wins, in either order")
  func gravity() {
    let order: [ExitClass] = [
      .inputOutput, .notPermitted, .unreachable, .conflict, .notFound, .invalidInput, .failed,
      .success,
    ]
    for (index, grave) in order.enumerated() {
      for light in order[index...] {
        #expect(grave.merged(with: light) == grave)
        #expect(light.merged(with: grave) == grave)
      }
    }
  }

  @Test("the numbers are those of the manual and never change")
  func numbers() {
    #expect(
      ExitClass.allCases.map(\.rawValue) == [0, 1, 64, 65, 66, 69, 73, 74, 75, 77, 78])
  }

  @Test("one failure of one input is told as it is; of several, 1 if only some failed")
  func partial() throws {
    let missing = CommandError(.notFound, "not_found", "x")
    let conflict = CommandError(.conflict, "conflict", "y")
    func status(_ errors: [CommandError], inputs: Int) throws -> ExitClass {
      var failures = PartialFailure()
      for error in errors { try failures.add(error) }
      do {
        try failures.finish(inputs: inputs)
        return .success
      } catch let error as SeveralErrors { return error.exitClass } catch let error
        as any UserFacing
      {
        return error.exitClass
      }
    }
    #expect(try status([], inputs: 3) == .success)
    #expect(try status([missing], inputs: 1) == .notFound)
    #expect(try status([missing], inputs: 2) == .failed)
    #expect(try status([missing, conflict], inputs: 2) == .conflict)
  }

  @Test("a closed or full output is never counted as one input's failure")
  func outputErrors() {
    var failures = PartialFailure()
    #expect(throws: OutputError.self) { try failures.add(OutputError.closed) }
  }
}
