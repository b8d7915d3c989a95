"""IBM's client of Cloudant against `sync serve`: it compresses bodies and follows changes by long polls."""

import io
import threading

import pytest
from ibm_cloud_sdk_core import ApiException
from ibm_cloud_sdk_core.authenticators import NoAuthAuthenticator
from ibmcloudant import CouchDbSessionAuthenticator
from ibmcloudant.cloudant_v1 import BulkDocs, CloudantV1, Document, IndexDefinition, IndexField
from ibmcloudant.features.changes_follower import ChangesFollower
from server import add_user, serving


def client(server, authenticator=None):
    service = CloudantV1(authenticator=authenticator or NoAuthAuthenticator())
    service.set_service_url(server.url)
    return service


@pytest.fixture
def service(tote):
    with serving(tote) as server:
        yield client(server)


def test_the_server_and_databases(service):
    assert service.get_server_information().get_result()["couchdb"] == "Welcome"
    assert service.get_up_information().get_result()["status"] == "ok"
    assert service.put_database(db="orders").get_result() == {"ok": True}
    with pytest.raises(ApiException) as failure:
        service.put_database(db="orders")
    assert failure.value.status_code == 412
    assert "orders" in service.get_all_dbs().get_result()
    information = service.get_database_information(db="orders").get_result()
    assert information["doc_count"] == 0 and information["db_name"] == "orders"
    assert service.head_database(db="orders").get_status_code() == 200
    assert service.delete_database(db="orders").get_result() == {"ok": True}
    with pytest.raises(ApiException) as failure:
        service.get_database_information(db="orders")
    assert failure.value.status_code == 404


def test_documents_from_first_edit_to_tombstone(service):
    service.put_database(db="orders").get_result()
    first = service.put_document(
        db="orders", doc_id="small:1", document=Document(type="order", total=12.5)).get_result()
    assert first["ok"] and first["rev"].startswith("1-")
    found = service.get_document(db="orders", doc_id="small:1").get_result()
    assert found["total"] == 12.5 and found["_rev"] == first["rev"]
    found["total"] = 13
    second = service.post_document(db="orders", document=found).get_result()
    assert second["rev"].startswith("2-")
    with pytest.raises(ApiException) as failure:
        service.put_document(db="orders", doc_id="small:1", document=Document(total=1), rev=first["rev"])
    assert failure.value.status_code == 409
    head = service.head_document(db="orders", doc_id="small:1")
    assert head.get_headers()["ETag"] == f'"{second["rev"]}"'
    service.delete_document(db="orders", doc_id="small:1", rev=second["rev"])
    with pytest.raises(ApiException) as failure:
        service.get_document(db="orders", doc_id="small:1")
    assert failure.value.status_code == 404


def test_bulk_writes_reads_and_listings(service):
    service.put_database(db="orders").get_result()
    documents = [Document(_id=f"order:{number:03}", number=number, type="order") for number in range(200)]
    rows = service.post_bulk_docs(db="orders", bulk_docs=BulkDocs(docs=documents)).get_result()
    assert len(rows) == 200 and all(row["ok"] for row in rows)
    listing = service.post_all_docs(
        db="orders", start_key="order:010", end_key="order:019", include_docs=True).get_result()
    assert [row["doc"]["number"] for row in listing["rows"]] == list(range(10, 20))
    assert listing["total_rows"] == 200
    keyed = service.post_all_docs(db="orders", keys=["order:005", "nothing"]).get_result()["rows"]
    assert keyed[0]["id"] == "order:005" and keyed[1] == {"key": "nothing", "error": "not_found"}
    answer = service.post_bulk_get(db="orders", docs=[{"id": "order:007"}, {"id": "none"}]).get_result()
    assert answer["results"][0]["docs"][0]["ok"]["number"] == 7
    assert answer["results"][1]["docs"][0]["error"]["error"] == "not_found"
    missing = service.post_revs_diff(
        db="orders", document_revisions={"order:007": ["1-" + "0" * 32]}).get_result()
    assert missing["order:007"]["missing"] == ["1-" + "0" * 32]


def test_find_by_selector_and_index(service):
    service.put_database(db="orders").get_result()
    documents = [Document(_id=f"o{number:03}", number=number, kind=number % 3) for number in range(100)]
    service.post_bulk_docs(db="orders", bulk_docs=BulkDocs(docs=documents)).get_result()
    made = service.post_index(
        db="orders", ddoc="by-number", name="number", type="json",
        index=IndexDefinition(fields=[IndexField(number="asc")])).get_result()
    assert made["result"] == "created"
    pages, bookmark = [], None
    while True:
        page = service.post_find(
            db="orders", selector={"kind": {"$eq": 1}, "number": {"$gt": 10}}, fields=["_id", "number"],
            sort=[{"number": "asc"}], limit=12, bookmark=bookmark).get_result()
        if not page["docs"]:
            break
        pages += page["docs"]
        bookmark = page["bookmark"]
    assert [document["number"] for document in pages] == list(range(13, 100, 3))
    explained = service.post_explain(db="orders", selector={"number": 5}).get_result()
    assert explained["index"]["name"] == "number"
    names = [index["name"] for index in service.get_indexes_information(db="orders").get_result()["indexes"]]
    assert names == ["_all_docs", "number"]
    assert service.delete_index(db="orders", ddoc="by-number", type="json", index="number").get_result()["ok"]


def test_attachments_are_given_back_as_they_were(service):
    service.put_database(db="files").get_result()
    text = ("a line of text\n" * 2_000).encode()
    written = service.put_attachment(
        db="files", doc_id="notes", attachment_name="a b+ü.txt", attachment=io.BytesIO(text),
        content_type="text/plain").get_result()
    pixels = bytes(range(256)) * 400
    service.put_attachment(
        db="files", doc_id="notes", attachment_name="dir/pixels.bin", attachment=io.BytesIO(pixels),
        content_type="application/octet-stream", rev=written["rev"])
    read = service.get_attachment(db="files", doc_id="notes", attachment_name="a b+ü.txt").get_result()
    assert read.content == text
    read = service.get_attachment(db="files", doc_id="notes", attachment_name="dir/pixels.bin").get_result()
    assert read.content == pixels
    part = service.get_attachment(
        db="files", doc_id="notes", attachment_name="dir/pixels.bin", range="bytes=256-511").get_result()
    assert part.content == bytes(range(256)) or part.content == pixels
    document = service.get_document(db="files", doc_id="notes", attachments=True).get_result()
    assert set(document["_attachments"]) == {"a b+ü.txt", "dir/pixels.bin"}


def test_the_changes_follower_sees_what_was_there_and_what_comes(service):
    service.put_database(db="orders").get_result()
    documents = [Document(_id=f"o{number}", number=number) for number in range(20)]
    service.post_bulk_docs(db="orders", bulk_docs=BulkDocs(docs=documents)).get_result()
    finite = ChangesFollower(service=service, db="orders", include_docs=True).start_one_off()
    assert {change.id for change in finite} == {f"o{number}" for number in range(20)}
    follower = ChangesFollower(service=service, db="orders", since="now")
    seen = []

    def follow():
        for change in follower.start():
            seen.append(change.id)
            if len(seen) == 2:
                follower.stop()

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    # `now` is when the server has the request, and a poll under way ends with the next change only.
    for number in range(600):
        service.put_document(db="orders", doc_id=f"late{number}", document=Document(number=number))
        thread.join(timeout=0.05)
        if not thread.is_alive():
            break
    assert len(seen) >= 2 and seen[0].startswith("late")


def test_security_and_sessions(tote):
    add_user(tote, "admin", "s3cret: ü", "--admin")
    add_user(tote, "reader", "other")
    with serving(tote) as server:
        admin = client(server, CouchDbSessionAuthenticator("admin", "s3cret: ü"))
        admin.put_database(db="private").get_result()
        admin.put_security(
            db="private", admins={"names": [], "roles": []}, members={"names": ["reader"], "roles": []})
        security = admin.get_security(db="private").get_result()
        assert security["members"]["names"] == ["reader"]
        session = admin.get_session_information().get_result()
        assert session["userCtx"]["name"] == "admin" and "_admin" in session["userCtx"]["roles"]
        reader = client(server, CouchDbSessionAuthenticator("reader", "other"))
        assert reader.get_database_information(db="private").get_result()["doc_count"] == 0
        with pytest.raises(ApiException) as failure:
            reader.put_security(db="private")
        assert failure.value.status_code in (401, 403)
        with pytest.raises(ApiException) as failure:
            client(server).get_database_information(db="private")
        assert failure.value.status_code == 401
        # It looks for the cookie before the status, and says so by an error of its own.
        with pytest.raises(Exception):
            client(server, CouchDbSessionAuthenticator("reader", "wrong")).get_all_dbs()
