import Core

/// The words of the query's errors.
extension QueryError: UserFacing {
  var exitClass: ExitClass { .invalidInput }
  var message: String { reason }
  var details: [(String, JSON)] { column.map { [("column", .integer(Int64($0)))] } ?? [] }
}
