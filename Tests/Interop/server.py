"""Runs the program's servers for clients that are not ours."""

import contextlib
import json
import os
import signal
import subprocess
import threading


class Server:
    """A running server: its first event, its address, and what it has said since."""

    def __init__(self, process, event):
        self.process = process
        self.event = event
        self.url = event.get("url", "").rstrip("/")
        self.lines = []

    @property
    def port(self):
        return int(self.url.rpartition(":")[2])

    def events(self):
        """The events since the first one, so far."""
        return [json.loads(line) for line in self.lines if line.startswith("{")]


@contextlib.contextmanager
def running(tote, *command, ends=False):
    """Runs a command that serves until the block ends; with `ends` it ends by itself before."""
    process = subprocess.Popen(
        [os.environ["TOTE_TEST_BINARY"], *command, "--jsonl"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=tote.environment, cwd=tote.folder)
    complaints = []
    # A pipe that nobody reads would stop the server when it is full.
    drains = [threading.Thread(target=lambda: complaints.extend(process.stderr), daemon=True)]
    drains[0].start()
    try:
        first = process.stdout.readline()
        assert first, "".join(complaints)
        server = Server(process, json.loads(first))
        drains.append(
            threading.Thread(target=lambda: server.lines.extend(process.stdout), daemon=True))
        drains[1].start()
        try:
            yield server
        except BaseException:
            ends = False
            raise
    finally:
        if not ends:
            process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        for drain in drains:
            drain.join(timeout=5)
    assert process.returncode == 0, (process.returncode, "".join(complaints))


@contextlib.contextmanager
def serving(tote, *arguments):
    """Serves the stores of a `tote` on a free port of the loopback until the block ends."""
    with running(tote, "sync", "serve", "--port", "0", *arguments) as server:
        assert server.event["event"] == "listening", server.event
        yield server


@contextlib.contextmanager
def sharing(tote, *arguments):
    """Serves the photos of a `tote` in the same way."""
    with running(tote, "photo", "serve", "--port", "0", *arguments) as server:
        assert server.event["event"] == "listening", server.event
        yield server


def add_user(tote, name, password, *options):
    """Makes a user; the password goes through standard input."""
    tote.run("perms", "user", "add", name, *options, "--password-file", "-", stdin=password + "\n")
