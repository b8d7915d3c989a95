"""couchdb3 and couchdb-python push into `drop receive` with the ticket's credentials."""

import contextlib
import json
import os
import signal
import ssl
import subprocess

import couchdb
import couchdb3
import pytest


class Receiver:
    """A running receiver, and what it told."""

    def __init__(self, process, folder):
        self.process = process
        self.folder = folder
        self.ticket = json.loads(process.stdout.readline())["ticket"]
        _, _, self.host, self.token, self.pin = self.ticket.split("/")
        self.url = f"https://{self.host}"

    def events(self):
        return [json.loads(line) for line in self.process.stdout]


@pytest.fixture
def receiver(tote):
    folder = tote.folder / "in"
    folder.mkdir()
    process = subprocess.Popen(
        [os.environ["TOTE_TEST_BINARY"], "drop", "receive", "--into", str(folder), "--bind",
         "127.0.0.1", "--yes", "--jsonl", "--count", "2"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env=tote.environment, cwd=tote.folder)
    try:
        yield Receiver(process, folder)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        process.wait(timeout=20)


def check(receiver, expected):
    events = receiver.events()
    assert [event["event"] for event in events] == [
        "receiving", "saved", "receiving", "saved", "done"], events
    for name, content in expected.items():
        assert (receiver.folder / name).read_bytes() == content
    assert sorted(os.listdir(receiver.folder)) == sorted(expected)


def test_couchdb3_pushes(receiver):
    server = couchdb3.Server(
        receiver.url, user="drop", password=receiver.token, auth_method="basic",
        disable_ssl_verification=True)
    assert "drop" in server
    database = server.get("drop")
    _, ok, revision = database.save({"_id": "one"})
    assert ok
    _, ok, _ = database.put_attachment(
        "one", "picture.jpg", content=b"\xff\xd8 picture", content_type="image/jpeg", rev=revision)
    assert ok
    _, ok, _ = database.save(
        {"_id": "two", "_attachments": {"n.txt": {"content_type": "text/plain", "data": "aGVsbG8="}}})
    assert ok
    check(receiver, {"picture.jpg": b"\xff\xd8 picture", "n.txt": b"hello"})


def test_couchdb_python_pushes(receiver, monkeypatch):
    monkeypatch.setattr(ssl, "_create_default_https_context", ssl._create_unverified_context)
    server = couchdb.Server(f"https://drop:{receiver.token}@{receiver.host}/")
    database = server["drop"]
    document = {"_id": "one"}
    database.save(document)
    database.put_attachment(document, b"\xff\xd8 picture", "picture.jpg", "image/jpeg")
    database.update(
        [{"_id": "two", "_attachments": {"n.txt": {"content_type": "text/plain", "data": "aGVsbG8="}}}])
    check(receiver, {"picture.jpg": b"\xff\xd8 picture", "n.txt": b"hello"})
