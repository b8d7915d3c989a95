import Testing

@Suite struct toteSkeletonTests {
  @Test func builds() { #expect(Bool(true)) }
}
