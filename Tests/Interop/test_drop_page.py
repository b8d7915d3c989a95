"""The page that a phone's browser gets from `tote drop receive`."""

import contextlib
import hashlib
import socket
import threading
import urllib.parse

from browser import browsing
from server import running


def receiving(tote, *arguments, ends=False):
    return running(
        tote, "drop", "receive", "--into", "album", "--bind", "127.0.0.1", "--yes", "--no-qr",
        *arguments, ends=ends)


def test_a_phone_sends_photos(tote, tmp_path, chance):
    """Pick, upload several at a time, progress, done; the bytes are what was sent."""
    sizes = {"one.jpg": 3_000_000, "zwei ½.jpg": 200_000, "日の出.heic": 70_000, "empty.txt": 0,
             "five.mov": 5_000_000}
    contents = {name: chance.randbytes(size) for name, size in sizes.items()}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    album = tmp_path / "album"
    album.mkdir()
    with receiving(tote, ends=True) as server, \
            browsing(390, 844, phone=True, trusting=True) as phone:
        phone.open(server.event["ticket"])
        phone.see("Send to")
        assert phone.overflow() == 0
        phone.choose("input[type=file]", *(tmp_path / name for name in list(sizes)[:4]))
        phone.see("All 4 files are on", "#note")
        # More can follow.
        phone.choose("input[name=files]", tmp_path / "five.mov")
        phone.see("All 5 files are on", "#note")
        assert len(phone.all("li.saved")) == 5
        assert phone.barriers() == []
        assert phone.broken_rules() == []
        phone.click("#done")
        phone.see("You can close this page")
    saved = {path.name: hashlib.sha256(path.read_bytes()).digest() for path in album.iterdir()}
    assert saved == {
        name: hashlib.sha256(content).digest() for name, content in contents.items()}


@contextlib.contextmanager
def cutting(port, after):
    """A way to a port that breaks every connection once, after so many bytes; gives its own port."""
    listener = socket.create_server(("127.0.0.1", 0))
    links = []
    passed = 0
    is_cut = False

    def carry(source, target):
        nonlocal passed, is_cut
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
                passed += len(data)
                if passed > after and not is_cut:
                    is_cut = True
                    for link in links:
                        with contextlib.suppress(OSError):
                            link.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)

    def accept():
        with contextlib.suppress(OSError):
            while True:
                client = listener.accept()[0]
                server = socket.create_connection(("127.0.0.1", port))
                links.extend((client, server))
                for ends in ((client, server), (server, client)):
                    threading.Thread(target=carry, args=ends, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield listener.getsockname()[1]
        assert is_cut
    finally:
        listener.close()
        for link in links:
            link.close()


def test_a_lost_connection_is_taken_up_again(tote, tmp_path, chance):
    content = chance.randbytes(6_000_000)
    (tmp_path / "long.mov").write_bytes(content)
    (tmp_path / "album").mkdir()
    with receiving(tote, ends=True) as server:
        ticket = urllib.parse.urlsplit(server.event["ticket"])
        with cutting(ticket.port, 3_000_000) as port, browsing(
                390, 844, phone=True, dark=True, trusting=True,
                detour=f"127.0.0.1:{ticket.port} 127.0.0.1:{port}") as phone:
            phone.open(server.event["ticket"])
            phone.see("Send to")
            assert phone.is_dark()
            phone.choose("input[type=file]", tmp_path / "long.mov")
            phone.see("The file is on", "#note")
            phone.click("#done")
            phone.see("You can close this page")
    assert (tmp_path / "album" / "long.mov").read_bytes() == content


def test_a_second_phone_is_told_why_it_cannot_send(tote, tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"first")
    (tmp_path / "album").mkdir()
    with receiving(tote, ends=True) as server, \
            browsing(390, 844, phone=True, trusting=True) as first, \
            browsing(320, 640, phone=True, trusting=True) as second:
        for phone in (first, second):
            phone.open(server.event["ticket"])
            phone.choose("input[type=file]", tmp_path / "a.jpg")
            if phone is first:
                phone.see("The file is on", "#note")
        second.see("Another device is sending to this computer", "li.failed")
        assert second.overflow() == 0
        first.click("#done")
        first.see("You can close this page")
    assert [path.name for path in (tmp_path / "album").iterdir()] == ["a.jpg"]


def test_a_form_does_without_scripts(tote, tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"by form")
    (tmp_path / "album").mkdir()
    with receiving(tote, "--count", "1", ends=True) as server, \
            browsing(390, 844, scripts=False, trusting=True) as phone:
        phone.open(server.event["ticket"])
        phone.choose("input[name=files]", tmp_path / "a.jpg")
        phone.click("form button")
        phone.see("1 file sent", "h1")
    assert (tmp_path / "album" / "a.jpg").read_bytes() == b"by form"
