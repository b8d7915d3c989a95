@main
struct Tote {
  static func main() {}
}
