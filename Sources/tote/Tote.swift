import Glibc

/// The program.
///
/// The command runs as a task; the main thread does nothing but wait for signals.
@main
enum Tote {
  static func main() {
    openMissingDescriptors()
    SignalWatch.prepare()
    let task = Task.detached {
      let status: Int32
      do {
        status = await Program.run(try RawArguments.words())
      } catch {
        let context = Context.process(options: GlobalOptions())
        status = ErrorReporter(context: context).finish(after: error)
      }
      SignalWatch.finish(status)
    }
    SignalWatch.run(cancelling: task)
  }
}
