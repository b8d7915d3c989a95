"""pycouchdb against `sync serve`."""

import pycouchdb
import pytest
from pycouchdb import exceptions
from server import add_user, serving


@pytest.fixture
def couch(tote):
    with serving(tote) as server:
        yield pycouchdb.Server(server.url + "/", authmethod="basic")


def test_databases(couch):
    assert couch.info()["couchdb"] == "Welcome"
    couch.create("one")
    assert "one" in couch and len(list(couch)) == 1
    with pytest.raises(exceptions.Conflict):
        couch.create("one")
    assert couch.database("one").config()["doc_count"] == 0
    couch.delete("one")
    with pytest.raises(exceptions.NotFound):
        couch.database("one")


def test_documents_and_their_revisions(couch):
    database = couch.create("one")
    document = database.save({"_id": "first:doc", "name": "first"})
    document["name"] = "second"
    document = database.save(document)
    assert database.get("first:doc")["name"] == "second"
    revisions = list(database.revisions("first:doc"))
    assert {revision["name"] for revision in revisions} <= {"first", "second"}
    stale = dict(document, _rev="1-" + "0" * 32)
    with pytest.raises(exceptions.Conflict):
        database.save(stale)
    database.delete(document)
    assert "first:doc" not in database


def test_bulk_listing_and_find(couch):
    database = couch.create("one")
    saved = database.save_bulk([{"_id": f"d{number:02}", "number": number} for number in range(30)])
    assert len(saved) == 30
    rows = database.all(as_list=True, startkey="d05", endkey="d09", flat="doc", include_docs="true")
    assert [row["number"] for row in rows] == [5, 6, 7, 8, 9]
    assert sorted(document["number"] for document in database.find({"number": {"$lt": 3}})) == [0, 1, 2]
    deleted = database.delete_bulk(database.all(as_list=True, flat="doc", include_docs="true"))
    assert len(deleted) == 30 and len(database) == 0
    last, changes = database.changes_list()
    assert len(changes) == 30 and all(change["deleted"] for change in changes)
    assert str(last).startswith("60")


def test_attachments(couch):
    import io
    database = couch.create("one")
    document = database.save({"_id": "file"})
    document = database.put_attachment(document, io.StringIO("text of a file"), "file.txt", "text/plain")
    content = database.get_attachment(document, "file.txt")
    assert content in (b"text of a file", "text of a file")
    document = database.delete_attachment(document, "file.txt")
    assert "_attachments" not in database.get("file")


def test_care(couch):
    database = couch.create("one")
    assert database.compact()["ok"] and database.cleanup()["ok"] and database.commit()["ok"]


def test_replication_between_two_databases_of_the_server(tote):
    with serving(tote) as server:
        couch = pycouchdb.Server(server.url + "/")
        source = couch.create("source")
        source.save_bulk([{"_id": f"d{number}"} for number in range(10)])
        couch.replicate(server.url + "/source", server.url + "/target", create_target=True)
        assert len(couch.database("target")) == 10


def test_basic_authentication(tote):
    add_user(tote, "ann", "p@ss:w%C3%A9rd", "--admin")
    with serving(tote) as server:
        from urllib.parse import quote
        host = server.url.removeprefix("http://")
        couch = pycouchdb.Server(f"http://ann:{quote('p@ss:w%C3%A9rd', safe='')}@{host}/")
        couch.create("mine")
        stranger = pycouchdb.Server(server.url + "/")
        with pytest.raises(Exception):
            stranger.database("mine").save({})
