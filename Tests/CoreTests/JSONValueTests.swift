import Core
import Testing

struct JSONValueTests {
  @Test("integers and doubles differ, strings compare as bytes, member order does not matter")
  func equality() {
    #expect(JSON.integer(1) != JSON.double(1))
    #expect(JSON.string("é") != JSON.string("e\u{301}"))
    #expect(JSON.object(["a": 1, "b": 2]) == ["b": 2, "a": 1])
    #expect(JSON.object(["a": 1, "b": 2]).hashValue == JSON.object(["b": 2, "a": 1]).hashValue)
    #expect(JSON.object(["a": 1]) != ["a": 2])
    #expect(JSON.array([1, 2]) != [2, 1])
  }

  @Test("setting a member replaces in place, appends, or removes")
  func members() {
    var value: JSON = ["a": 1, "b": 2]
    value["a"] = 3
    value["c"] = nil as JSON?
    value["d"] = .null
    #expect(value.serialized() == #"{"a":3,"b":2,"d":null}"#)
    value["b"] = nil as JSON?
    #expect(value.objectValue?.keys == ["a", "d"])
    #expect(value["b"] == nil)
    #expect(value["a"]?.integerValue == 3)
    var empty = JSON.null
    empty["x"] = [1, 2]
    #expect(empty["x"]?[1] == 2)
    #expect(empty["x"]?[2] == nil)
  }

  @Test("accessors give a value of their own kind only")
  func accessors() {
    #expect(JSON.integer(1).doubleValue == 1)
    #expect(JSON.double(1).integerValue == nil)
    #expect(JSON.bigInteger("10000000000000000000000").doubleValue == 1e22)
    #expect(JSON.string("a").boolValue == nil)
    #expect(JSON.null.isNull && !JSON.bool(false).isNull)
  }

  @Test("ids and keys compare by UTF-8 bytes")
  func bytes() {
    #expect(!utf8Equal("é", "e\u{301}"))
    #expect(utf8Equal("é", "\u{e9}"))
    #expect(utf8Less("\u{FF5E}", "😀"))
    #expect(UTF8Key("e\u{301}") < UTF8Key("\u{e9}"))
    #expect(Set([UTF8Key("é"), UTF8Key("e\u{301}"), UTF8Key("\u{e9}")]).count == 2)
  }
}
