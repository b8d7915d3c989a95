extension LocalStore {
  /// Checks that a document of this store may have the id.
  ///
  /// - Throws: `StoreError.invalidDocumentID`.
  package func check(_ id: String) throws {
    try DocumentID.check(id)
    if isPartitioned { try Partition.check(documentID: id) }
  }

  /// Counts a partition's documents and their bytes; reads all of them.
  ///
  /// - Parameter partition: the partition's name; one without documents is empty.
  /// - Returns: the counts.
  /// - Throws: `StoreError` when the store cannot be read.
  public func info(ofPartition partition: String) throws -> PartitionInfo {
    let prefix = Partition.prefix(partition)
    // A colon's successor in ASCII ends the range.
    return try sizes("id >= ?1 AND id < ?2", [.text(prefix), .text(partition + ";")])
  }

  /// Counts all documents and their bytes; reads all of them.
  ///
  /// - Throws: `StoreError` when the store cannot be read.
  public func totalSizes() throws -> PartitionInfo { try sizes("1", []) }

  /// Counts the live documents whose ids begin with an ASCII text.
  ///
  /// - Throws: `StoreError` when the store cannot be read.
  package func documentCount(prefix: String) throws -> Int {
    guard let last = prefix.unicodeScalars.last,
      let successor = Unicode.Scalar(last.value + 1)
    else { return try info().documentCount }
    let end = String(prefix.unicodeScalars.dropLast()) + String(Character(successor))
    return try read { connection in
      try connection.first(
        "SELECT count(*) FROM docs WHERE id >= ? AND id < ? AND NOT flags & 1", .text(prefix),
        .text(end)
      ) { $0.integer(0) } ?? 0
    }
  }

  private func sizes(_ condition: String, _ values: [SQLiteValue]) throws -> PartitionInfo {
    try read { connection in
      let documents = """
        SELECT count(*), ifnull(sum(flags & 1), 0), ifnull(sum(length(CAST(body AS BLOB))), 0),
          ifnull(sum(length(CAST(id AS BLOB)) + length(rev) + ifnull(length(tree), 0)), 0)
        FROM docs WHERE \(condition)
        """
      let attachments = """
        SELECT ifnull(sum(length), 0), ifnull(sum(stored_length), 0) FROM attachments
        JOIN docs USING(id, rev) WHERE \(condition)
        """
      var info = PartitionInfo()
      try connection.with(documents) { statement in
        for (index, value) in values.enumerated() { statement.bind(Int32(index + 1), value) }
        guard try statement.step() else { return }
        info.deletedCount = statement.integer(1)
        info.documentCount = statement.integer(0) - info.deletedCount
        info.externalSize = statement.integer(2)
        info.activeSize = statement.integer(2) + statement.integer(3)
      }
      try connection.with(attachments) { statement in
        for (index, value) in values.enumerated() { statement.bind(Int32(index + 1), value) }
        guard try statement.step() else { return }
        info.externalSize += statement.integer(0)
        info.activeSize += statement.integer(1)
      }
      return info
    }
  }
}
