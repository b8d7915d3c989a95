import Core
import Testing

struct DocumentMapperTests {
  private struct Todo: Codable, Equatable {
    var name: String
    var priority: Int
  }

  private struct Note: Codable, Equatable {
    var name: String
  }

  private var mapper: DocumentMapper {
    var mapper = DocumentMapper()
    mapper.register(Todo.self, as: "TodoItem")
    return mapper
  }

  @Test("a value goes into a document with its datatype and comes back with its metadata")
  func roundTrip() throws {
    let revision = try #require(RevisionID("1-abc"))
    let mapped = Mapped(Todo(name: "milk", priority: 2), id: "a", revision: revision)
    let document = try mapper.document(for: mapped)
    #expect(document.id == "a")
    #expect(document.revision == revision)
    #expect(
      String(decoding: document.body.bytes, as: UTF8.self)
        == #"{"@datatype":"TodoItem","name":"milk","priority":2}"#)
    #expect(try mapper.mapped(Todo.self, from: document) == mapped)
  }

  @Test("a new value gets a new id")
  func newID() throws {
    let first = try mapper.document(for: Mapped(Todo(name: "a", priority: 0)))
    let second = try mapper.document(for: Mapped(Todo(name: "a", priority: 0)))
    #expect(first.id != second.id)
    #expect(first.revision == nil)
  }

  @Test("a document of another datatype, or of none, is refused by name")
  func wrongDatatype() throws {
    let note = Document(id: "n", body: try DocumentBody(["@datatype": "Note", "name": "x"]))
    let error = #expect(throws: DocumentMappingError.self) {
      try mapper.mapped(Todo.self, from: note)
    }
    #expect(error?.message == "document 'n' is of datatype 'Note', not 'TodoItem'")
    let bare = Document(id: "n", body: try DocumentBody(["name": "x"]))
    #expect(
      throws: DocumentMappingError.wrongDatatype(document: "n", expected: "TodoItem", found: nil)
    ) {
      try mapper.mapped(Todo.self, from: bare)
    }
  }

  @Test("types are registered once, the last name counts")
  func registration() throws {
    var mapper = mapper
    #expect(mapper.datatype(of: Note.self) == nil)
    #expect(throws: DocumentMappingError.unregistered(type: "Note")) {
      try mapper.document(for: Mapped(Note(name: "x")))
    }
    mapper.register(Todo.self, as: "Item")
    #expect(mapper.datatype(of: Todo.self) == "Item")
    #expect(mapper.typeName(ofDatatype: "Item") == "Todo")
    #expect(mapper.typeName(ofDatatype: "TodoItem") == nil)
    mapper.register(Int.self, as: "Number")
    #expect(throws: DocumentMappingError.notAnObject(type: "Int")) {
      try mapper.document(for: Mapped(1))
    }
  }
}
