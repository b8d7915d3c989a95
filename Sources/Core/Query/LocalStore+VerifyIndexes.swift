extension LocalStore {
  /// Checks every index against the documents, counting its entries.
  func indexProblems(
    _ entries: inout Int, in connection: Connection
  ) throws -> [VerificationReport.Problem] {
    try indexMaintainer.registerFunctions(in: connection)
    var problems: [VerificationReport.Problem] = []
    for index in try indexMaintainer.indexes(collation, in: connection) {
      guard let keys = index.keys else { continue }
      entries += try connection.first("SELECT count(*) FROM \(index.table)") { $0.integer(0) } ?? 0
      let sql = """
        WITH wanted(k, seq) AS (
          SELECT * FROM (
            SELECT tote_index_key(?, body, id, rev) AS k, seq FROM docs
            WHERE NOT flags & 1 AND NOT (id >= '_design/' AND id < '_design0'))
          WHERE k IS NOT NULL)
        SELECT
          (SELECT count(*) FROM (SELECT k, seq FROM wanted EXCEPT SELECT key, seq FROM \(index.table))),
          (SELECT count(*) FROM (SELECT key, seq FROM \(index.table) EXCEPT SELECT k, seq FROM wanted))
        """
      try connection.with(sql) { row in
        QueryFunctions.bind(keys, at: 1, to: row)
        guard try row.step() else { return }
        if row.integer(0) > 0 || row.integer(1) > 0 {
          problems.append(
            .init(
              .index,
              "index '\(index.definition.name)': \(row.integer(0)) entries are missing, "
                + "\(row.integer(1)) are wrong"))
        }
      }
    }
    return problems
  }
}
