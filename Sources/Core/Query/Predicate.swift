/// The query language for people, after Apple's NSPredicate.
///
/// ```
/// priority >= 2 AND name CONTAINS[c] "milk"
/// tags IN {"home", "garden"} OR "urgent" IN tags
/// ANY items.price > 3 AND NOT (owner.name LIKE "A*" OR done == TRUE)
/// ```
///
/// | form | meaning |
/// | --- | --- |
/// | `a == 1`, `=`, `!=`, `<>`, `<`, `<=`, `>`, `>=` | compares with values of the same type |
/// | `a BETWEEN {1, 5}` | both ends included |
/// | `a IN {1, 2}`, `a NOT IN {1, 2}` | is one of them; an array, when it has one of them |
/// | `"x" IN a`, `a CONTAINS "x"` | an array has it; `CONTAINS`: or a text has it within |
/// | `BEGINSWITH`, `ENDSWITH`, `CONTAINS`, `LIKE` (`?`, `*`), `MATCHES` (a whole regular expression) | of text |
/// | `==[c]`, `LIKE[cd]`, … | overlooks case (`c`), marks on letters (`d`) |
/// | `ANY a.b == 1`, `ALL`, `NONE` | some, every, no element of an array on the way |
/// | `AND` `OR` `NOT` `&&` `\|\|` `!`, parentheses, `TRUEPREDICATE`, `FALSEPREDICATE` | combine |
///
/// Words of the language may be written in any case. Names are joined by dots; `a[0]` or `a.0` is the
/// first element; a name with other characters, or that is a word of the language, stands between
/// backquotes, where `\u0041` and `\u{1F600}` are characters. `@datatype` is a name like others.
/// `NULL` or `NIL` is also a field that is missing, and `!=` and `NOT` hold for missing fields: unlike
/// in selectors.
///
/// Source: Apple, "Predicate Programming Guide", section "Predicate Format String Syntax".
public enum Predicate {
  /// Reads a predicate.
  ///
  /// - Parameter text: the predicate.
  /// - Returns: the selector that means the same.
  /// - Throws: ``QueryError`` `invalid_predicate` with the column, a picture of the place and an
  ///   example that works.
  public static func selector(parsing text: String) throws(QueryError) -> Selector {
    var parser = PredicateParser(text: text, tokens: try PredicateLexer.tokens(of: text))
    return Selector(root: try parser.parse())
  }
}
