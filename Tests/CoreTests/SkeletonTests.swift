import Testing

@Suite struct CoreSkeletonTests {
  @Test func builds() { #expect(Bool(true)) }
}
