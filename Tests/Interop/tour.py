"""Runs the console blocks of README.md, to write their output or to check it.

Usage: TOTE_TEST_BINARY=.build/debug/tote python Tests/Interop/tour.py    writes the output into README.md

A line that starts with `$ ` is a command; what follows up to the next one is what it showed on a terminal of 80
columns, then `(exit status N)` if it was not 0. Everything that differs from run to run is masked before comparing.
"""

import fcntl
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import termios

PROJECT = pathlib.Path(__file__).resolve().parents[2]
README = PROJECT / "README.md"
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
# Times, sizes that depend on the file system, and the random short ids at the start of a todo's line.
MASKS = [
    # Photos have the time of their making in their ids.
    (re.compile(r"\b[0-9a-hjkmnp-tv-z]{36}\b"), "PHOTO"), (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d\b"), "MOMENT"),
    (re.compile(r"\d+(\.\d+)? m?s\b"), "TIME"), (re.compile(r"\d[\d,.]*\/s\b"), "RATE"),
    (re.compile(r"\d+(\.\d+)? (B|[KMG]i?B)\b"), "SIZE"), (re.compile(r"^[a-z][a-z0-9]{2,4}(?=\s|$)", re.MULTILINE), "ID"),
    (re.compile(r"\d[\d,]* records a second"), "RATE"), (re.compile(r"\([a-z][a-z0-9]{2,4}\)"), "(ID)"),
    (re.compile(r"\s+$", re.MULTILINE), ""), (re.compile(r"(?<=\S) {2,}"), "  "),
]


class Tour:
    """One run through commands in a fresh home."""

    def __init__(self, folder):
        binary = pathlib.Path(os.environ["TOTE_TEST_BINARY"]).resolve()
        (folder / "bin").mkdir()
        (folder / "bin" / "tote").symlink_to(binary)
        self.home = folder / "home"
        self.home.mkdir()
        (self.home / "Scripts").symlink_to(PROJECT / "Scripts")
        self.environment = {
            "PATH": f"{folder / 'bin'}:/usr/bin:/bin", "HOME": str(self.home), "TZ": "UTC0", "LC_ALL": "C.UTF-8", "TERM": "xterm",
            "NO_COLOR": "1", "PAGER": "cat", "TOTE_NOW": "2030-01-01T12:00:00Z",
        }

    def show(self, command):
        """What a terminal shows of a command, with its status if that is not 0."""
        ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 80, 0, 0))
        process = subprocess.Popen(
            ["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, cwd=self.home,
            env=self.environment, start_new_session=True)
        os.close(theirs)
        shown = bytearray()
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the terminal's last user left
                break
            if not piece:
                break
            shown += piece
        os.close(ours)
        text = shown.decode("utf-8", "replace").replace("\r\n", "\n")
        # A progress line is drawn over itself; what stays is what came after the last return.
        text = "\n".join(re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line.rsplit("\r", 1)[-1]) for line in text.split("\n"))
        status = process.wait(timeout=300)
        return text + (f"(exit status {status})\n" if status else "")


def commands(block):
    """Pairs of a command and the output written below it."""
    pairs = []
    for line in block.splitlines(keepends=True):
        if line.startswith("$ "):
            pairs.append([line[2:].rstrip("\n"), ""])
        elif pairs and pairs[-1][0].endswith("\\") and not pairs[-1][1]:
            pairs[-1][0] += "\n" + line.rstrip("\n")
        else:
            pairs[-1][1] += line
    return pairs


def masked(text):
    for pattern, word in MASKS:
        text = pattern.sub(word, text)
    return text


def blocks():
    return [commands(block) for block in BLOCK.findall(README.read_text(encoding="utf-8"))]


def rewrite():
    with tempfile.TemporaryDirectory() as folder:
        tour = Tour(pathlib.Path(folder))

        def rerun(match):
            return "".join(f"$ {command}\n{tour.show(command)}" for command, _ in commands(match.group()))

        text = BLOCK.sub(rerun, README.read_text(encoding="utf-8"))
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(rewrite())
