public import Core

extension RemoteStore {
  /// Starts an attachment's bytes on this machine, to be sent with the document that names them.
  public func makeAttachment() throws -> BlobWriter { try spool.writer() }
}
