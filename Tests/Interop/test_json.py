"""What goes in as JSON comes out as the same JSON, judged by Python's own parser."""

import json

import conftest
import documents


def test_random_documents_survive_import_and_export(tote, chance):
    originals = [documents.document(chance, number) for number in range(300)]
    by_id = {original["_id"]: original for original in originals}
    lines = "".join(json.dumps(original, ensure_ascii=chance.random() < 0.5) + "\n" for original in originals)
    tote.run("store", "create", "notes")
    tote.run("store", "import", "notes", "-", "--format", "jsonl", stdin=lines)
    exported = tote.run("store", "export", "notes", "-", "--format", "jsonl")
    seen = {}
    for line in conftest.lines_of(exported):
        found = json.loads(line)
        if "_end" in found:
            continue
        assert found.pop("_rev").startswith("1-")
        seen[found["_id"]] = found
    assert seen.keys() == by_id.keys()
    for name, original in by_id.items():
        assert documents.same(seen[name], original), name


def test_documents_come_back_one_by_one_by_ids_that_look_alike(tote):
    composed, decomposed = "\u00e9", "e\u0301"
    tote.run("store", "create", "notes")
    for name, number in ((composed, 1), (decomposed, 2)):
        tote.run("store", "put", "notes", name, json.dumps({"n": number}))
    assert tote.json("store", "get", "notes", composed)["n"] == 1
    assert tote.json("store", "get", "notes", decomposed)["n"] == 2


def test_duplicate_keys_the_last_wins_as_in_python(tote):
    text = '{"a":1,"b":2,"a":3}'
    tote.run("store", "create", "notes")
    tote.run("store", "put", "notes", "doc", text)
    found = tote.json("store", "get", "notes", "doc")
    assert {name: found[name] for name in ("a", "b")} == json.loads(text)
