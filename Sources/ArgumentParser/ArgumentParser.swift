// Declarative commands: one declaration gives parsing, help, completions, man pages and self-checks.
//
// How to declare a command:
//
//     struct GlobalOptions: InheritedOptions, EnvironmentDefaults {
//       static var environment: [String: String] { ["home": "TOTE_HOME"] }
//       @Option(help: ArgumentHelp("where the stores are", valueName: "DIR"), completion: .directory)
//       var home: String?
//       @Flag(name: .shortAndLong, help: "print JSON") var json = false
//       @Flag(name: .shortAndLong, help: "say more; may be repeated") var verbose: Int
//     }
//
//     struct Tote: ParsableCommand {                       // the root declares the shared options
//       static let configuration = CommandConfiguration(
//         commandName: "tote", abstract: "documents and todos", version: "1.0.0",
//         groupedSubcommands: [CommandGroup(name: "Lists", subcommands: [Todo.self])])
//       @OptionGroup(title: "Global options") var global: GlobalOptions
//     }
//
//     struct TodoAdd: AsyncParsableCommand, DocumentedCommand {
//       static let configuration = CommandConfiguration(
//         commandName: "add", abstract: "add a todo")       // lower case, no period
//       static let examples = [Example("tote todo add \"Buy milk\"", "adds one todo")]
//       @OptionGroup var global: GlobalOptions              // the same values, wherever they were typed
//       @Option(help: ArgumentHelp("when it is due", valueName: "WHEN")) var due: String?
//       @Argument(help: "the text; several words are joined") var text: [String]
//       func validate() throws { … throw ValidationError.exclusive("--due", "--no-due") }
//       func run() async throws { … }
//     }
//
// How a program uses it; the module itself never prints, exits or reads the environment:
//
//     let result = Tote.parseCommandLine(words, environment: variables)
//     let global = result.inherited(GlobalOptions.self)     // also when the line has mistakes
//     switch result.outcome {
//     case .run(let command): …                             // cast to the program's own protocol, run
//     case .help(let request): … request.rendered(HelpStyle(width: 80))
//     case .version: …
//     case .failure(let failure): … failure.rendered(program: "tote"), status failure.exitCode
//     case .exit(let error): …                              // ExitCode or CleanExit from validate()
//     }
//
// Write `@Option()` with brackets when there is nothing to say and no default, as in the package.
//
// The names are those of Apple's swift-argument-parser (`ParsableCommand`, `AsyncParsableCommand`,
// `@Argument`, `@Option`, `@Flag`, `@OptionGroup`, `CommandConfiguration`, `CommandGroup`,
// `ArgumentHelp`, `NameSpecification`, `CompletionKind`, `EnumerableFlag`, `ExpressibleByArgument`,
// `ValidationError`, `ExitCode`, `CleanExit`), so that the package could replace the module. Lost by
// that swap: options before subcommands as well as after (`InheritedOptions`), values from the
// environment (`EnvironmentDefaults`), suggestions for commands and values, negative numbers as
// values, examples and exit codes in help (`DocumentedCommand`), and the thin completion scripts.
