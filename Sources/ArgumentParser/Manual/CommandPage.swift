/// Makes the manual page of one command.
struct CommandPage {
  let node: CommandTree.Node
  let root: CommandDescription
  let settings: ManualSettings

  private var command: CommandDescription { node.description }
  private var isRoot: Bool { command.path.count == 1 }

  var document: ManualDocument {
    var sections = [
      ManualDocument.Section("SYNOPSIS", [.synopses(command.synopses)]),
      ManualDocument.Section("DESCRIPTION", description),
    ]
    add("ENVIRONMENT", environment, to: &sections)
    if isRoot, !settings.files.isEmpty { add("FILES", [.entries(settings.files)], to: &sections) }
    add("EXIT STATUS", exitStatus, to: &sections)
    add("EXAMPLES", examples, to: &sections)
    add("SEE ALSO", [.references(references)], to: &sections)
    return ManualDocument(
      name: command.path.joined(separator: "-"), section: 1, abstract: command.abstract,
      sections: sections)
  }

  private func add(
    _ title: String, _ content: [ManualDocument.Content],
    to sections: inout [ManualDocument.Section]
  ) {
    if !content.isEmpty { sections.append(ManualDocument.Section(title, content)) }
  }

  // MARK: - Description

  private var description: [ManualDocument.Content] {
    var content: [ManualDocument.Content] = [.text(sentence(command.abstract))]
    if !command.aliases.isEmpty {
      let parents = command.path.dropLast().joined(separator: " ")
      let names = command.aliases.map { "'\(parents) \($0)'" }
      content.append(.text("It may be written \(listed(names, conjunction: "or")) as well."))
    }
    if !command.discussion.isEmpty { content.append(.text(command.discussion)) }
    content += arguments
    guard isRoot else { return content + shared + commands + output }
    content += commands + output + shared
    for topic in command.topics {
      content += [.subsection("About \(topic.name): \(topic.abstract)"), .text(topic.text)]
    }
    return content
  }

  private var arguments: [ManualDocument.Content] {
    let visible = command.arguments.filter(\.isVisible)
    var content: [ManualDocument.Content] = []
    let own = visible.filter { $0.group == nil }
    if !own.isEmpty {
      var entries = own.map(entry)
      if visible.contains(where: { $0.kind == .positional }) { entries.append(Self.endOfOptions) }
      content += [.text("The arguments are as follows."), .entries(entries)]
    }
    var titles: [String] = []
    for title in visible.compactMap(\.group) where !titles.contains(title) { titles.append(title) }
    for title in titles {
      content.append(.subsection(title))
      content.append(.entries(visible.filter { $0.group == title }.map(entry)))
    }
    return content
  }

  private static let endOfOptions = ManualDocument.Entry(
    "--", "Take all that follows as operands, not options.", kind: .argument)

  private var commands: [ManualDocument.Content] {
    command.childGroups.flatMap { group -> [ManualDocument.Content] in
      let visible = group.children.filter(\.isVisible)
      guard !visible.isEmpty else { return [] }
      let entries = visible.map { child in
        let isDefault = child.name == command.defaultChild
        return ManualDocument.Entry(
          command.fullName + " " + child.name,
          sentence(child.abstract) + (isDefault ? " This runs when no command is named." : ""),
          kind: .page)
      }
      return [.subsection(group.title ?? "Commands"), .entries(entries)]
    }
  }

  private var output: [ManualDocument.Content] {
    guard !command.outputKeys.isEmpty else { return [] }
    return [.subsection("JSON output"), .entries(command.outputKeys.map(\.entry))]
  }

  /// The shared options: in full on the program's page, by reference on the others.
  private var shared: [ManualDocument.Content] {
    let visible = command.inheritedArguments.filter(\.isVisible)
    guard !visible.isEmpty else { return [] }
    guard isRoot else {
      return [.text("The options that every command takes are described in \(root.path[0])(1).")]
    }
    return [
      .subsection(visible.compactMap(\.group).first ?? "Global options"),
      .text("These options may stand before or after a command's name."),
      .entries(visible.map(entry)),
    ]
  }

  private func entry(_ argument: ArgumentDescription) -> ManualDocument.Entry {
    var text = sentence(argument.abstract)
    let choices = argument.choices
    if !choices.isEmpty, choices.allSatisfy(\.description.isEmpty) {
      text += " One of \(listed(choices.map(\.value), conjunction: "or"))."
    }
    if let value = argument.defaultText { text += " The default is \(value)." }
    if argument.isDefaultChoice { text += " This is the default." }
    if let variable = argument.environment { text += " Without it, \(variable) counts." }
    for choice in choices where choices.contains(where: { !$0.description.isEmpty }) {
      text +=
        "\n\n- \(choice.value)" + (choice.description.isEmpty ? "" : ": \(choice.description)")
    }
    if !argument.discussion.isEmpty { text += "\n\n" + argument.discussion }
    return ManualDocument.Entry(argument.label, text, kind: .argument)
  }

  // MARK: - Other sections

  private var environment: [ManualDocument.Content] {
    if isRoot, !settings.environment.isEmpty { return [.entries(settings.environment)] }
    let entries = command.arguments.filter(\.isVisible).compactMap { argument in
      argument.environment.map {
        ManualDocument.Entry($0, "Stands for \(argument.label).", kind: .variable)
      }
    }
    return entries.isEmpty ? [] : [.entries(entries)]
  }

  private var exitStatus: [ManualDocument.Content] {
    let codes = isRoot && !settings.exitCodes.isEmpty ? settings.exitCodes : command.exitCodes
    guard !codes.isEmpty else { return [] }
    let entries = codes.map { ManualDocument.Entry(String($0.code), sentence($0.meaning)) }
    guard !isRoot else { return [.entries(entries)] }
    return [.entries(entries), .text("The other values are described in \(root.path[0])(1).")]
  }

  private var examples: [ManualDocument.Content] {
    guard !command.examples.isEmpty else { return [] }
    return [
      .entries(
        command.examples.map {
          ManualDocument.Entry(
            $0.commandLine, $0.explanation.isEmpty ? "" : sentence($0.explanation),
            kind: .commandLine)
        })
    ]
  }

  private var references: [String] {
    var names = isRoot ? settings.seeAlso : command.seeAlso
    if isRoot {
      names += command.children.filter(\.isVisible).map { command.fullName + " " + $0.name }
    } else {
      names.append(command.path.dropLast().joined(separator: " "))
    }
    return names
  }
}

extension OutputKey {
  /// The key as a term with its type and meaning.
  var entry: ManualDocument.Entry {
    ManualDocument.Entry("\(name) (\(type))", meaning.isEmpty ? "" : sentence(meaning))
  }
}

/// A phrase as a sentence: with a capital first letter and a final period.
func sentence(_ phrase: String) -> String {
  guard let first = phrase.first else { return "" }
  // A word with a capital inside, such as `iCalendar`, or an option is left as it is.
  let word = phrase.prefix { $0 != " " }
  let keeps = word.dropFirst().contains(where: \.isUppercase) || !first.isLetter
  let start = keeps ? String(first) : first.uppercased()
  return start + phrase.dropFirst() + (".!?".contains(phrase.last ?? " ") ? "" : ".")
}

extension CommandTree {
  /// Sections that list the keys of every command's JSON result, for the page of section 5.
  public var outputSections: [ManualDocument.Section] {
    nodes.filter { $0.description.isVisible && !$0.description.outputKeys.isEmpty }.map { node in
      ManualDocument.Section(
        node.description.fullName.uppercased(), [.entries(node.description.outputKeys.map(\.entry))]
      )
    }
  }
}
