import Glibc

/// The program.
///
/// The command runs as a task; the main thread does nothing but wait for signals.
@main
enum Tote {
  static func main() {
    openMissingDescriptors()
    SignalWatch.prepare()
    let executor = CommandExecutor()
    let task = Task.detached(executorPreference: executor) {
      let status: Int32
      do {
        status = await Program.run(try RawArguments.words())
      } catch {
        let context = Context.process(options: GlobalOptions())
        status = ErrorReporter(context: context).finish(after: error)
      }
      SignalWatch.finish(status)
    }
    executor.start()
    SignalWatch.run(cancelling: task)
  }
}
