"""Runs `tote sync serve` for the clients of CouchDB and Cloudant."""

import contextlib
import json
import os
import signal
import subprocess
import threading


class Server:
    """A running server: its address, and how to stop it."""

    def __init__(self, process, url):
        self.process = process
        self.url = url

    @property
    def port(self):
        return int(self.url.rstrip("/").rpartition(":")[2])


@contextlib.contextmanager
def serving(tote, *arguments):
    """Serves the stores of a `tote` on a free port of the loopback until the block ends."""
    process = subprocess.Popen(
        [os.environ["TOTE_TEST_BINARY"], "sync", "serve", "--port", "0", "--jsonl", *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=tote.environment, cwd=tote.folder)
    complaints = []
    # A pipe that nobody reads would stop the server when it is full.
    drain = threading.Thread(target=lambda: complaints.extend(process.stderr), daemon=True)
    drain.start()
    try:
        first = process.stdout.readline()
        assert first, "".join(complaints)
        event = json.loads(first)
        assert event["event"] == "listening", event
        yield Server(process, event["url"].rstrip("/"))
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        drain.join(timeout=5)
    assert process.returncode == 0, (process.returncode, "".join(complaints))


def add_user(tote, name, password, *options):
    """Makes a user; the password goes through standard input."""
    tote.run("perms", "user", "add", name, *options, "--password-file", "-", stdin=password + "\n")
