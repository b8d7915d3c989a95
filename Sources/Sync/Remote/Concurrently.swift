/// Runs a function for each element, at most `limit` at once; the results stand in the elements'
/// order.
///
/// - Throws: the first error, after cancelling the others.
func concurrently<Element: Sendable, Result: Sendable>(
  _ elements: [Element], limit: Int,
  _ body: @escaping @Sendable (Element) async throws -> Result
) async throws -> [Result] {
  if elements.count == 1 { return [try await body(elements[0])] }
  return try await withThrowingTaskGroup(of: (Int, Result).self) { group in
    var results = [Result?](repeating: nil, count: elements.count)
    var started = 0
    func start() {
      let index = started
      let element = elements[index]
      started += 1
      group.addTask { (index, try await body(element)) }
    }
    while started < min(limit, elements.count) { start() }
    while let (index, result) = try await group.next() {
      results[index] = result
      if started < elements.count { start() }
    }
    return results.compactMap { $0 }
  }
}
