import Core

/// A number with its noun: `1 document`, `2 documents`.
func counted(_ count: Int, _ noun: String) -> String {
  "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
}

/// A number for people, its digits in groups: `200,000`.
func grouped(_ number: Int) -> String {
  var text = ""
  for (index, digit) in String(number.magnitude).reversed().enumerated() {
    if index > 0, index % 3 == 0 { text.append(",") }
    text.append(digit)
  }
  return (number < 0 ? "-" : "") + String(text.reversed())
}

/// A bar that shows how much of a work is done, with the percentage; nothing when that is not known.
///
/// - Parameters:
///   - share: from 0 to 1.
///   - context: says whether the terminal shows more than ASCII.
/// - Returns: text of a fixed width.
func progressBar(_ share: Double?, _ context: Context) -> String {
  guard let share else { return "" }
  let width = 24
  let done = min(max(share, 0), 1)
  let filled = Int(done * Double(width))
  let isUTF8 = context.streams.errorTraits.isUTF8
  let bar =
    String(repeating: isUTF8 ? "█" : "#", count: filled)
    + String(repeating: isUTF8 ? "░" : "-", count: width - filled)
  let percent = String(Int(done * 100))
  return bar + " " + String(repeating: " ", count: 3 - percent.count) + percent + "%"
}
