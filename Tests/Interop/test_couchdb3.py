"""couchdb3 against `sync serve`."""

import couchdb3
import pytest
from server import add_user, serving


@pytest.fixture
def couch(tote):
    with serving(tote) as server:
        # It logs in whatever it asks; without users any name will do.
        yield couchdb3.Server(server.url, user="anyone", password="any", auth_method="basic")


def test_databases_and_the_server(couch):
    assert couch.up() and couch.info()["couchdb"] == "Welcome"
    couch.create("one")
    assert couch.all_dbs() == ["one"] and "one" in couch
    assert couch.dbs_info(keys=["one"])[0]["info"]["db_name"] == "one"
    assert couch.active_tasks() == []
    assert couch.delete("one") and "one" not in couch


def test_documents_listings_and_copies(couch):
    database = couch.create("one")
    identifier, ok, revision = database.save({"_id": "a", "x": 1})
    assert ok and identifier == "a"
    document = database.get("a")
    assert document["x"] == 1 and document["_rev"] == revision
    rows = database.bulk_docs([{"_id": f"b{number}", "number": number} for number in range(10)])
    assert all(row["ok"] for row in rows)
    assert database.all_docs(startkey='"b"', endkey='"c"', include_docs=True).total_rows == 11
    database.copy("a", "copied")
    assert database.get("copied")["x"] == 1
    assert database.rev("a") == revision
    assert database.delete("a", revision)
    assert len(database.bulk_get([{"id": "b1"}, {"id": "b2"}])) in (1, 2)


def test_find_and_indexes(couch):
    database = couch.create("one")
    database.bulk_docs([{"_id": f"d{number}", "number": number} for number in range(20)])
    database.save_index({"fields": ["number"]}, ddoc="numbers", name="by-number")
    assert len(database.indexes()["indexes"]) == 2
    found = database.find({"number": {"$gte": 15}}, sort=[{"number": "desc"}])
    assert [document["number"] for document in found["docs"]] == [19, 18, 17, 16, 15]
    assert database.explain({"number": 3})["index"]["name"] == "by-number"
    assert database.delete_index("numbers", "by-number")


def test_changes_and_purge(couch):
    database = couch.create("one")
    _, _, revision = database.save({"_id": "a"})
    database.save({"_id": "b"})
    changes = database.changes()
    assert [row["id"] for row in changes["results"]] == ["a", "b"]
    assert [row["id"] for row in database.changes(doc_ids=["b"], filter="_doc_ids")["results"]] == ["b"]
    assert database.purge({"a": [revision]})["purged"]["a"] == [revision]


def test_attachments(couch, tmp_path):
    database = couch.create("one")
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 100)
    _, _, revision = database.put_attachment("doc", "picture.png", str(path))
    read = database.get_attachment("doc", "picture.png")
    assert read.content == path.read_bytes() and read.content_type == "image/png"
    assert database.delete_attachment("doc", "picture.png", revision)


def test_users_security_and_cookies(tote):
    add_user(tote, "boss", "pw", "--admin")
    with serving(tote) as server:
        boss = couchdb3.Server(server.url, user="boss", password="pw", auth_method="cookie")
        database = boss.create("one")
        boss.save_user("ann", password="ann's", roles=["staff"])
        database.update_security(
            admins={"names": [], "roles": []}, members={"names": [], "roles": ["staff"]})
        assert database.security()["members"]["roles"] == ["staff"]
        ann = couchdb3.Server(server.url, user="ann", password="ann's", auth_method="basic")
        assert ann.get("one").save({"_id": "hers"})[1]
        assert boss.check_user("ann", "ann's") and not boss.check_user("ann", "wrong")
