import Testing

@Suite struct ArgumentParserSkeletonTests {
  @Test func builds() { #expect(Bool(true)) }
}
