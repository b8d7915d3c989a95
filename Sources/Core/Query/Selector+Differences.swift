extension Selector {
  /// Where our answers differ from CouchDB 3.5's, and why; each is a line of the manual.
  public static let differences: [(what: String, why: String)] = [
    (
      "objects compare without regard to the order of their keys",
      "the store keeps bodies in canonical key order, so that equal documents have equal revisions"
    ),
    (
      "strings sort by code point unless the store was made with --collation unicode, or over HTTP",
      "that order is the same on every machine and needs no ICU"
    ),
    (
      "on the command line a sort no index serves is answered by sorting, with a warning, not refused",
      "a person asked a question that has an answer"
    ),
    (
      "on the command line documents without the sort field come first in a sort",
      "an index made later must not make documents disappear"
    ),
    (
      "on the command line, without a sort, documents come in the order of their ids, also where "
        + "CouchDB would choose an index and answer in its order",
      "making an index must not change the answer"
    ),
    (
      "on the command line $or and conditions without a range do not make an index be used",
      "reading a whole index and every document behind it is slower than reading the documents"
    ),
    (
      "$text needs a text index and is an error without one",
      "CouchDB without its search add-on answers with every document"
    ),
    (
      "a field named \"\" is an error wherever it stands, and so are names like `a.` and `.a` before "
        + "any document is looked at",
      "CouchDB finds out only when a document is matched"
    ),
    (
      "$not and $nor inside $elemMatch and $allMatch are the complement",
      "CouchDB lets $nor fail there"
    ),
    ("$all takes 1 and 1.0 for equal, like $eq", "CouchDB compares terms there"),
    ("a backslash in a path can be written as two", "CouchDB drops all backslashes"),
    (
      "malformed requests that make CouchDB answer 500 are 400 here",
      "they are the caller's mistake"
    ),
  ]
}
