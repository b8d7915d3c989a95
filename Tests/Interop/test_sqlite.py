"""A store's file is plain SQLite that other tools can open, check and read."""

import json
import sqlite3
import stat

import documents


def filled(tote, chance):
    originals = [documents.document(chance, number) for number in range(200)]
    tote.run("store", "create", "notes")
    tote.run("store", "import", "notes", "-", stdin="".join(json.dumps(o) + "\n" for o in originals))
    tote.run("store", "index", "create", "notes", "kind", "number")
    tote.run("store", "index", "create", "notes", "text", "--text")
    tote.run("store", "put", "notes", "more", '{"kind":"x","number":1,"text":"words to find"}')
    tote.run("store", "rm", "notes", originals[0]["_id"])
    return originals


def test_another_sqlite_finds_the_file_sound_and_writes_nothing(tote, chance):
    originals = filled(tote, chance)
    with sqlite3.connect(tote.database("notes")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        rows = dict(connection.execute("SELECT id, body FROM docs WHERE flags & 1 = 0"))
    for original in originals[1:]:
        body = {name: value for name, value in original.items() if name != "_id"}
        assert documents.same(json.loads(rows[original["_id"]]), body)


def test_the_files_are_private(tote, chance):
    filled(tote, chance)
    store = tote.database("notes").parent
    assert stat.S_IMODE(store.stat().st_mode) == 0o700
    for path in store.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_a_backup_is_one_sound_file(tote, chance):
    originals = filled(tote, chance)
    tote.run("store", "backup", "notes", "notes.backup")
    tote.run("store", "restore", "notes.backup", "again")
    tote.run("store", "verify", "again")
    for original in originals[1:20]:
        left = tote.json("store", "get", "notes", original["_id"])
        assert left == tote.json("store", "get", "again", original["_id"])
