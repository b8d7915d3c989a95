"""The old couchdb-python against `sync serve`: one client more, with a transport of its own."""

import couchdb
import pytest
from server import serving


@pytest.fixture
def couch(tote):
    with serving(tote) as server:
        yield couchdb.Server(server.url + "/")


def test_documents(couch):
    database = couch.create("python-tests")
    identifier, revision = database.save({"type": "Person", "name": "Ann"})
    document = database[identifier]
    assert document.rev == revision
    document["name"] = "Ann B."
    database[identifier] = document
    database["ünicode/ id"] = {"x": 1}
    assert database["ünicode/ id"]["x"] == 1
    with pytest.raises(couchdb.http.ResourceConflict):
        database[identifier] = {"_id": identifier, "_rev": "1-" + "0" * 32}
    del database["ünicode/ id"]
    assert "ünicode/ id" not in database
    assert [row.id for row in database.view("_all_docs")] == [identifier]
    copied = database.copy(identifier, "copy")
    assert database["copy"].rev == copied
    for result in database.update([{"_id": "copy"}, {"_id": "new"}]):
        assert result[0] is (result[1] == "new")


def test_attachments(couch):
    database = couch.create("python-tests")
    database["file"] = {}
    document = database["file"]
    database.put_attachment(document, b"\x00\x01" * 5_000, "a/b.bin", "application/octet-stream")
    database.put_attachment(document, "text", "text.txt", "text/plain")
    assert database.get_attachment("file", "a/b.bin").read() == b"\x00\x01" * 5_000
    assert database.get_attachment("file", "text.txt").read() == b"text"
    assert database.get_attachment("file", "none", default="absent") == "absent"
    database.delete_attachment(database["file"], "text.txt")
    assert list(database["file"]["_attachments"]) == ["a/b.bin"]


def test_changes_of_every_kind(couch):
    database = couch.create("python-tests")
    for number in range(5):
        database[f"d{number}"] = {"number": number}
    normal = database.changes()
    assert [row["id"] for row in normal["results"]] == [f"d{number}" for number in range(5)]
    feed = database.changes(feed="continuous", since=0, heartbeat=1000)
    assert [next(feed)["id"] for _ in range(5)] == [f"d{number}" for number in range(5)]
    waited = database.changes(feed="longpoll", since=0, limit=2)
    assert len(waited["results"]) == 2


def test_security_and_purge(couch):
    database = couch.create("python-tests")
    database.security = {"admins": {"names": ["a"], "roles": []}, "members": {"names": [], "roles": []}}
    assert database.security["admins"]["names"] == ["a"]
    identifier, revision = database.save({"gone": True})
    purged = database.purge([database[identifier]])
    assert purged["purged"][identifier] == [revision]
    assert identifier not in database


def test_replication(couch):
    couch.create("left")["doc"] = {"x": 1}
    couch.create("right")
    result = couch.replicate("left", "right")
    assert result["ok"] and couch["right"]["doc"]["x"] == 1
