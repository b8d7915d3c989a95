"""An encrypted store is a database of SQLCipher 4: its own library opens ours, and we open what it wrote."""

import json
import sqlite3

import documents
import pytest
import sqlcipher3

PASSPHRASE = "correct horse 'battery' stäple"


@pytest.fixture(params=["passphrase", "key"])
def secret(request, tote):
    """The options that open a store, and what SQLCipher's `PRAGMA key` is given."""
    if request.param == "passphrase":
        (tote.folder / "secret").write_text(PASSPHRASE + "\n", encoding="utf-8")
        return ["--passphrase-file", "secret"], PASSPHRASE
    key = bytes(range(100, 132))
    (tote.folder / "secret").write_bytes(key)
    return ["--key-file", "secret"], f"x'{key.hex()}'"


def sqlcipher(path, key):
    connection = sqlcipher3.connect(str(path))
    quoted = key.replace("'", "''")
    connection.execute(f"PRAGMA key = '{quoted}'")
    return connection


def check(connection):
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA cipher_integrity_check").fetchall() == []


def bodies(connection):
    return dict(connection.execute("SELECT id, body FROM docs WHERE flags & 1 = 0"))


def fill(tote, options, chance, count=300):
    originals = [documents.document(chance, number) for number in range(count)]
    tote.run("store", "create", "notes", "--encrypt", *options)
    tote.run(
        "store", "import", "notes", "-", *options, stdin="".join(json.dumps(o) + "\n" for o in originals))
    tote.run("store", "index", "create", "notes", "kind", "number", *options)
    tote.run("store", "index", "create", "notes", "text", "--text", *options)
    tote.run("store", "rm", "notes", originals[0]["_id"], *options)
    return originals


def test_sqlcipher_opens_what_we_wrote(tote, chance, secret):
    options, key = secret
    originals = fill(tote, options, chance)
    path = tote.database("notes")
    with pytest.raises(sqlite3.DatabaseError):
        sqlite3.connect(path).execute("SELECT count(*) FROM docs")
    connection = sqlcipher(path, key)
    check(connection)
    rows = bodies(connection)
    connection.close()
    assert len(rows) == len(originals) - 1
    for original in originals[1:]:
        body = {name: value for name, value in original.items() if name != "_id"}
        assert documents.same(json.loads(rows[original["_id"]]), body)


def test_both_write_in_turn(tote, chance, secret):
    options, key = secret
    fill(tote, options, chance)
    path = tote.database("notes")
    for number in range(3):
        connection = sqlcipher(path, key)
        connection.execute("UPDATE info SET value = value WHERE key = 'uuid'")
        connection.execute("CREATE TABLE IF NOT EXISTS theirs(n, t)")
        connection.executemany("INSERT INTO theirs VALUES(?, ?)", [(number, "t" * 3000)] * 50)
        connection.commit()
        check(connection)
        connection.close()
        tote.run("store", "put", "notes", f"ours-{number}", '{"text":"%s"}' % ("x" * 9000), *options)
        tote.run("store", "verify", "notes", *options)
    tote.run("store", "compact", "notes", *options)
    connection = sqlcipher(path, key)
    check(connection)
    assert connection.execute("SELECT count(*) FROM theirs").fetchone() == (150,)
    assert {"ours-0", "ours-1", "ours-2"} <= bodies(connection).keys()


def test_we_open_a_database_that_sqlcipher_made(tote, chance, secret):
    """Every page of the store written by SQLCipher: its export of a plain store of ours."""
    options, key = secret
    originals = [documents.document(chance, number) for number in range(200)]
    tote.run("store", "create", "notes")
    tote.run("store", "import", "notes", "-", stdin="".join(json.dumps(o) + "\n" for o in originals))
    before = tote.run("store", "export", "notes")
    path = tote.database("notes")
    plain = sqlcipher3.connect(str(path))
    plain.execute("PRAGMA journal_mode = DELETE")
    copy = path.with_name("copy.db")
    plain.execute("ATTACH ? AS copy KEY ?", (str(copy), key))
    plain.execute("SELECT sqlcipher_export('copy')")
    for pragma in ("application_id", "user_version"):
        value = plain.execute(f"PRAGMA main.{pragma}").fetchone()[0]
        plain.execute(f"PRAGMA copy.{pragma} = {value}")
    plain.close()
    copy.replace(path)
    assert tote.run("store", "export", "notes", *options) == before
    assert tote.json("store", "info", "notes", *options)["cipher"].startswith("SQLCipher 4")
    tote.run("store", "verify", "notes", *options)
    (tote.folder / "file.bin").write_bytes(bytes(range(256)) * 500)
    tote.run("store", "put", "notes", "new", "{}", *options)
    tote.run("store", "attach", "notes", "new", "file.bin", *options)
    tote.run("store", "verify", "notes", *options)
    connection = sqlcipher(path, key)
    check(connection)
    assert "new" in bodies(connection)


def test_an_encrypted_plain_store_and_a_rekeyed_one_open_too(tote, chance, secret):
    options, key = secret
    originals = [documents.document(chance, number) for number in range(200)]
    tote.run("store", "create", "notes")
    tote.run("store", "import", "notes", "-", stdin="".join(json.dumps(o) + "\n" for o in originals))
    before = tote.run("store", "export", "notes")
    path = tote.database("notes")
    (tote.folder / "first").write_text("the first passphrase")
    tote.run("store", "encrypt", "notes", "--passphrase-file", "first")
    check(sqlcipher(path, "the first passphrase"))
    new = [f"--new-{options[0][2:]}", options[1]]
    tote.run("store", "rekey", "notes", "--passphrase-file", "first", *new)
    check(sqlcipher(path, key))
    assert tote.run("store", "export", "notes", *options) == before
    tote.run("store", "decrypt", "notes", *options)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert tote.run("store", "export", "notes") == before


def test_a_wrong_passphrase_is_told_apart_from_damage(tote, chance, secret):
    options, _ = secret
    fill(tote, options, chance)
    path = tote.database("notes")
    sound = path.read_bytes()
    (tote.folder / "wrong").write_text("wrong")
    tote.run("store", "info", "notes", "--passphrase-file", "wrong", status=77)
    tote.run("store", "info", "notes", status=77)
    assert path.read_bytes() == sound
    damaged = bytearray(sound)
    damaged[3 * 4096 + 77] ^= 1
    path.write_bytes(damaged)
    tote.run("store", "verify", "notes", *options, status=74)
    path.write_bytes(b"\0" * 8192)
    tote.run("store", "info", "notes", *options, status=65)
