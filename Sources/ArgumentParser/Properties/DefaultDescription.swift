/// How help shows a default whose type need not be expressible by an argument.
func defaultDescription<T>(of value: T) -> String? {
  let text = (value as? any ExpressibleByArgument)?.defaultValueDescription ?? "\(value)"
  return text.isEmpty ? nil : text
}

/// How help shows a default list; an empty one is not shown.
func defaultDescription<T: ExpressibleByArgument>(ofList values: [T]) -> String? {
  values.isEmpty ? nil : values.map(\.defaultValueDescription).joined(separator: ", ")
}
