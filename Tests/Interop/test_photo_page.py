"""The page of `tote photo serve`, driven in Chromium as people use it."""

import json
import pathlib
import urllib.request

import pytest

from browser import browsing, write_png
from conftest import Tote
from server import sharing

CORPUS = pathlib.Path(__file__).parent.parent / "PhotosTests" / "Corpus"
PASSWORD = "correct horse"
HOSTILE = "<img src=x onerror=\"document.title='hit'\"> & \"Lake\""


@pytest.fixture
def server(tote):
    with sharing(tote, "--open-registration") as server:
        yield server


def register(browser, name):
    browser.click(".account [data-account=log-in]")
    browser.click("#account .other")
    browser.see("Make an account", "#account h2")
    browser.one("#account [name=username]").send_keys(name)
    browser.one("#account [name=password]").send_keys(PASSWORD)
    browser.press("ENTER")
    browser.miss("#account")
    browser.see(f"@{name}", "#menu summary")


def share(browser, *files):
    """Uploads pictures: pairs of a path and a title."""
    browser.choose("#files", *(path for path, _ in files))
    for field, (_, title) in zip(browser.all("#composer .picks input"), files, strict=True):
        field.send_keys(title)
    browser.click("#composer .go")


def tiles(browser):
    return browser.run(
        "return Array.from(document.querySelectorAll('.tile img'), (image) => image.alt)")


def shown(browser, title):
    """Waits until the viewer shows a photo, its picture loaded."""
    browser.see(title, "#viewer h2")
    browser.until(
        lambda: browser.run(
            "const i = document.querySelector('#viewer img'); return i.complete && i.naturalWidth"),
        "the picture")


def call(url, token=None, body=None, kind="application/json"):
    request = urllib.request.Request(url, data=body, headers={"Content-Type": kind})
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def fill(server, tmp_path_factory, number):
    """Adds photos of a user `anna` through the API."""
    body = json.dumps({"username": "anna", "password": PASSWORD}).encode()
    call(f"{server.url}/api/v1/register", body=body)
    body = json.dumps({"username": "anna", "password": PASSWORD, "token": True}).encode()
    token = call(f"{server.url}/api/v1/login", body=body)["token"]
    picture = (CORPUS / "gray.jpg").read_bytes()
    for place in range(number):
        # Other bytes behind the end mark, so that no two uploads are the same file.
        call(f"{server.url}/api/v1/photos?title=Photo%20{place}", token,
             picture + b"%d" % place, "image/jpeg")


def test_friends_share_photos(server, tmp_path):
    """Register, upload, look, see others' photos arrive, delete: two people in two browsers."""
    png = write_png(tmp_path / "sky.png", 1800, 1200, (90, 140, 255))
    with browsing() as anna, browsing(390, 844, phone=True) as bo:
        anna.open(server.url)
        anna.see("No photos yet")
        register(anna, "anna")
        share(anna, (CORPUS / "gray.jpg", HOSTILE), (png, "Sky"))
        anna.until(lambda: sorted(tiles(anna)) == sorted([HOSTILE, "Sky"]), "two photos")
        anna.see("2 photos added", "#uploads")
        assert anna.barriers() == []
        assert anna.driver.title != "hit"
        assert len(anna.all(".tile img[src=x]")) == 0

        # The other one sees them, and what comes later arrives by itself.
        bo.open(server.url)
        assert len(tiles(bo)) == 2
        assert bo.run("return getComputedStyle(document.querySelector('.grid'))"
                      ".gridTemplateColumns.split(' ').length") == 3
        register(bo, "bo")
        share(anna, (CORPUS / "cmyk_adobe_t0.jpg", "Newest"))
        bo.until(lambda: tiles(bo)[0] == "Newest", "the new photo")
        assert bo.one(".tile .by").text == "@anna"

        # Full size, by keyboard.
        anna.until(lambda: tiles(anna)[0] == "Newest", "the own photo")
        anna.all(".tile .open")[0].click()
        shown(anna, "Newest")
        assert "/p/" in anna.driver.current_url
        assert anna.barriers() == []
        anna.press("ARROW_RIGHT")
        order = tiles(anna)
        shown(anna, order[1])
        anna.press("END")
        shown(anna, order[2])
        anna.press("HOME")
        shown(anna, "Newest")
        anna.press("ESCAPE")
        anna.miss("#viewer")
        assert anna.driver.current_url == f"{server.url}/"
        assert anna.run("return document.activeElement.closest('.tile').dataset.id")
        anna.driver.forward()
        shown(anna, "Newest")

        # Only one's own photos can be deleted; they go everywhere at once.
        bo.all(".tile .open")[0].click()
        shown(bo, "Newest")
        assert not bo.all("#viewer [data-do=remove]")[0].is_displayed()
        anna.click("#viewer [data-do=remove]")
        anna.see("Delete this photo?")
        anna.click("#sure [value=delete]")
        anna.until(lambda: "Newest" not in tiles(anna), "the photo to go")
        bo.miss("#viewer")
        bo.see("has been deleted")
        assert "Newest" not in tiles(bo)
        assert anna.broken_rules() == [] and bo.broken_rules() == []


def test_what_goes_wrong_is_said(server, tmp_path):
    """Refusals of the server are shown where they belong, in its words."""
    broken = tmp_path / "broken.jpg"
    broken.write_bytes((CORPUS / "exif_gps_fake.jpg").read_bytes()[:1000])
    text = tmp_path / "notes.heic"
    text.write_bytes(b"no picture at all")
    with browsing() as browser:
        browser.open(server.url)
        register(browser, "anna")
        share(browser, (broken, ""), (text, ""), (CORPUS / "gray.jpg", "Good"))
        browser.see("1 photo added, 2 failed", "#uploads")
        browser.see("This browser cannot read HEIC pictures", "#uploads .bad")
        assert tiles(browser) == ["Good"]
        browser.click("#uploads .dismiss")
        # The same file again is no second photo.
        share(browser, (CORPUS / "gray.jpg", "Again"))
        browser.see("It was here already", "#uploads")
        assert tiles(browser) == ["Good"]
        browser.click("#menu summary")
        browser.click("[data-account=log-out]")
        browser.click(".account [data-account=log-in]")
        assert browser.one("#account [name=username]").get_property("value") == "anna"
        browser.one("#account [name=password]").send_keys("wrong password")
        browser.press("ENTER")
        browser.until(lambda: browser.one("#account .problem").text, "the reason")
        browser.type(PASSWORD)
        browser.press("ENTER")
        browser.miss("#account")
        browser.see("@anna", "#menu summary")


def test_the_stream_has_no_end_and_needs_no_scripts(server, tmp_path_factory):
    fill(server, tmp_path_factory, 55)
    with browsing(scripts=False) as browser:
        browser.open(server.url)
        assert len(tiles(browser)) == 50 and tiles(browser)[0] == "Photo 54"
        assert browser.one(".tile .by").text == "@anna"
        assert not browser.all(".account")[0].is_displayed()
        browser.click(".older a")
        browser.until(lambda: "before=" in browser.driver.current_url, "older photos")
        assert tiles(browser) == [f"Photo {place}" for place in range(4, -1, -1)]
        browser.click(".tile .open")
        browser.see("Photo 4", "h1")
        browser.see("All photos")
    with browsing() as browser:
        browser.open(server.url)
        browser.until(lambda: browser.run("return !!document.querySelector('.tile').dataset.id"), "")
        browser.run("scrollTo(0, document.body.scrollHeight)")
        browser.until(lambda: len(tiles(browser)) == 55, "older photos")
        assert tiles(browser)[-1] == "Photo 0"
        # A photo's address opens it over the stream.
        link = browser.all(".tile .open")[3].get_attribute("href")
        browser.open(link)
        shown(browser, "Photo 51")
        browser.press("ESCAPE")
        browser.miss("#viewer")
        browser.until(lambda: len(tiles(browser)) >= 50, "the stream")
        assert browser.driver.current_url == f"{server.url}/"


def test_a_small_dark_window(tmp_path_factory, tmp_path):
    """320 pixels, dark, private, by invitation."""
    tote = Tote(tmp_path_factory.mktemp("private"))
    with sharing(tote, "--invite", "--private") as server:
        with browsing(320, 640, phone=True, dark=True) as browser:
            browser.open(server.url)
            browser.see("These photos are private")
            assert browser.overflow() == 0 and browser.is_dark()
        with browsing(320, 640, phone=True, dark=True) as browser:
            # The invitation is behind the `#` and goes from the address at once.
            browser.open(server.event["invite"])
            browser.see("Make an account", "#account h2")
            assert "#" not in browser.driver.current_url
            browser.one("#account [name=username]").send_keys("guest-with-a-long-name")
            browser.one("#account [name=password]").send_keys(PASSWORD)
            assert browser.overflow() == 0
            assert browser.barriers() == []
            browser.press("ENTER")
            browser.see("No photos yet")
            share(browser, (CORPUS / "gray.jpg", "W" * 200))
            browser.until(lambda: len(tiles(browser)) == 1, "the photo")
            assert browser.overflow() == 0
            browser.click(".tile .open")
            shown(browser, "W" * 200)
            assert browser.overflow() == 0
            assert browser.broken_rules() == []
