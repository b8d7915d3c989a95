"""Drives headless Chromium, as people do: it looks, types, clicks and waits for what they see."""

import contextlib
import importlib.resources
import os
import struct
import tempfile
import zlib

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 20


class Browser:
    """One window, with the few things that the tests do with it."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, url):
        self.driver.get(url)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        """The first element that people can see."""
        return self.until(
            lambda: next((found for found in self.all(selector) if found.is_displayed()), None),
            selector)

    def click(self, selector):
        self.one(selector).click()

    def choose(self, selector, *paths):
        """Gives files to an input, which may be hidden behind a button."""
        self.all(selector)[0].send_keys("\n".join(map(str, paths)))

    def type(self, text):
        self.driver.switch_to.active_element.send_keys(text)

    def press(self, key):
        self.type(getattr(Keys, key))

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def until(self, condition, what):
        # What was found may be gone by the time it is looked at: the next look tells.
        return WebDriverWait(
            self.driver, PATIENCE, 0.05, ignored_exceptions=[StaleElementReferenceException]).until(
                lambda _: condition(), f"waited for {what}")

    def see(self, text, selector="body"):
        """Waits until a text can be seen."""
        self.until(lambda: any(text in found.text for found in self.all(selector)), repr(text))

    def miss(self, selector):
        """Waits until nothing of the kind can be seen."""
        self.until(
            lambda: not any(found.is_displayed() for found in self.all(selector)), f"no {selector}")

    def overflow(self):
        """Pixels by which the page is wider than its window."""
        return self.run(
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth")

    def is_dark(self):
        return self.run(
            "const colour = getComputedStyle(document.body).backgroundColor.match(/\\d+/g);"
            "return colour.slice(0, 3).every((part) => Number(part) < 64)")

    def barriers(self):
        """What keeps people with screen readers, or weak eyes, from using what is shown (axe)."""
        self.run((importlib.resources.files("axe_core_python") / "axe.min.js").read_text())
        return self.driver.execute_async_script(
            "const done = arguments[0];"
            "axe.run().then((found) => done(found.violations.map((fault) =>"
            " `${fault.id}: ${fault.nodes.map((node) => node.html).join(' ')}`)),"
            " (error) => done([String(error)]))")

    def broken_rules(self):
        """What the page was kept from by its content security policy."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if "Content Security Policy" in entry["message"] or "Trusted" in entry["message"]]


@contextlib.contextmanager
def browsing(width=1280, height=900, *, phone=False, dark=False, scripts=True, trusting=False,
             detour=None):
    """Opens a window.

    A `trusting` one takes any certificate, as a person would after the warning; a `detour` is a
    pair of addresses, `host:port host:port`.
    """
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    options.page_load_strategy = "eager"
    for argument in ("--headless=new", "--disable-dev-shm-usage", "--disable-gpu",
                     "--hide-scrollbars", "--lang=en", f"--window-size={width},{height}",
                     # A browser by itself asks its maker for this and that; this one finds nobody.
                     "--disable-background-networking", "--disable-component-update",
                     "--disable-sync", "--no-first-run",
                     f"--host-resolver-rules=MAP {detour or '127.0.0.1 127.0.0.1'},MAP * ~NOTFOUND"):
        options.add_argument(argument)
    # Chromium's own sandbox does not work for root.
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    if trusting:
        options.add_argument("--ignore-certificate-errors")
    if phone:
        metrics = {"width": width, "height": height, "pixelRatio": 2}
        options.add_experimental_option("mobileEmulation", {"deviceMetrics": metrics})
    if not scripts:
        options.add_experimental_option(
            "prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(
        options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
    try:
        if dark:
            feature = {"name": "prefers-color-scheme", "value": "dark"}
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        try:
            yield Browser(driver)
        except BaseException:
            handle, path = tempfile.mkstemp(prefix="tote-page-", suffix=".png")
            os.close(handle)
            driver.save_screenshot(path)
            print(f"what could be seen: {path}, at {driver.current_url}")
            raise
    finally:
        driver.quit()


def write_png(path, width, height, colour):
    """Writes a picture of one colour that fades to black downwards."""
    rows = b"".join(
        b"\0" + bytes(part * (height - row) // height for part in colour) * width
        for row in range(height))

    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b""))
    return path
