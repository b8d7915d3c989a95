/// A response of bytes that is made once and sent many times, for what is asked for again and again.
///
/// Sending it costs neither a handler's task nor new headers: small files go out at more than twice
/// the rate of a handler's answers.
public final class HTTPReusableResponse: Sendable {
  let answer: PreparedAnswer

  /// The response.
  public var response: HTTPResponse { answer.response }

  /// - Parameter response: its body must be `.bytes`.
  public init(_ response: HTTPResponse) { answer = PreparedAnswer(reusing: response) }
}
