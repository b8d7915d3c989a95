/// A selector compiled for matching bytes: flat tables that hold no reference, so that the hot loop
/// neither counts references nor checks exclusivity.
struct MatcherProgram {
  /// What an instruction does with the value it is given.
  enum Operation: UInt8 {
    case always, never
    /// The children's conjunction; `sorted` when each is a field below the document and their first
    /// names ascend, so that one pass over the members finds all.
    case and, sortedAnd, or, not
    /// Finds a path, then runs its one child on the value.
    case field
    /// Whether no value can be reached.
    case absent
    case less, lessOrEqual, equal, notEqual, greaterOrEqual, greater
    case oneOf, noneOf, all
    case exists, existsNot
    case type, size, modulo, regex, beginsWith
    case anyElement, everyElement, anyKey
    case string
  }

  /// One instruction.
  struct Instruction {
    var operation: Operation
    /// Children: `firstChild ..< firstChild + childCount` in ``MatcherProgram/children``.
    var firstChild: Int32 = 0
    var childCount: Int32 = 0
    /// Names of a path in ``MatcherProgram/names``.
    var firstName: Int32 = 0
    var nameCount: Int32 = 0
    /// Whether the path begins at the document and names what is not in the body.
    var special: Special = .none
    /// Arguments in ``MatcherProgram/arguments``.
    var firstArgument: Int32 = 0
    var argumentCount: Int32 = 0
    /// Numbers that some operations need: a size, a divisor, a type's rank, a pattern's address, an
    /// index into the matches.
    var first: Int = 0
    var second: Int = 0
  }

  /// Members that are not stored in the body.
  enum Special: UInt8 {
    case none, id, revision
  }

  /// A name of a path, as it stands in the text.
  struct Name {
    /// `"name":`, escaped as canonical text escapes it.
    var text: UnsafePointer<UInt8>
    var count: Int
    /// The first eight bytes of `text`, big-endian, and which bits of them count.
    var prefix: UInt64
    var mask: UInt64
    /// Whether a greater key ends the search: not when the name holds bytes that sort otherwise in
    /// the text than in the key.
    var isOrdered: Bool
    /// The index that the name is in an array, or -1.
    var index: Int
  }

  /// An argument in canonical text.
  struct Argument {
    var text: UnsafePointer<UInt8>
    var end: UnsafePointer<UInt8>
    var rank: Int
    /// The value, when `isSmallInteger`.
    var integer: Int64
    var isSmallInteger: Bool
  }

  var instructions: UnsafeMutablePointer<Instruction>
  var children: UnsafeMutablePointer<Int32>
  var names: UnsafeMutablePointer<Name>
  var arguments: UnsafeMutablePointer<Argument>
  var root: Int32
  var collation: Collation
}
