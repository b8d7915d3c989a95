"""Runs the built program for tests that check it with other people's libraries."""

import json
import os
import random
import subprocess

import pytest


class Tote:
    """The program with private folders, a pinned zone and language."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(folder), "TOTE_HOME": str(folder / "home"),
            "TZ": "UTC0", "LC_ALL": "C.UTF-8", "COLUMNS": "80", "TOTE_NOW": "2030-01-01T12:00:00Z",
        }

    def run(self, *arguments, stdin="", status=0):
        """Runs a command, checks its exit status and returns its standard output as text."""
        result = subprocess.run(
            [os.environ["TOTE_TEST_BINARY"], *arguments], input=stdin.encode(), capture_output=True,
            env=self.environment, cwd=self.folder, check=False, timeout=120)
        assert result.returncode == status, (arguments, result.returncode, result.stderr.decode())
        return result.stdout.decode()

    def json(self, *arguments, **options):
        return json.loads(self.run(*arguments, "--json", **options))

    def lines(self, *arguments, **options):
        return [json.loads(line) for line in lines_of(self.run(*arguments, "--jsonl", **options))]

    def database(self, store):
        return self.folder / "home" / f"{store}.store" / "store.db"


def lines_of(text):
    """Lines as JSON Lines knows them; `splitlines` also splits at U+2028 and others that JSON strings may hold."""
    return text.removesuffix("\n").split("\n") if text else []


@pytest.fixture
def tote(tmp_path):
    return Tote(tmp_path)


@pytest.fixture
def chance(request):
    """A random source whose seed is printed with a failure and taken from TOTE_TEST_SEED."""
    seed = int(os.environ.get("TOTE_TEST_SEED", random.randrange(2**32)))
    print(f"seed of {request.node.name}: TOTE_TEST_SEED={seed}")
    return random.Random(seed)
