"""The API of `tote photo serve` against its own description, with generated requests."""

import json
import os
import pathlib
import subprocess
import sys
import urllib.request

from server import sharing

# No schema tells which bytes are a picture: refusing the generated ones is right.
SETTINGS = """
[[operations]]
include-name = "POST /api/v1/photos"
checks.positive_data_acceptance.enabled = false
"""
PICTURE = pathlib.Path(__file__).parent.parent / "PhotosTests" / "Corpus" / "gray.jpg"


def test_schemathesis_finds_nothing(tote, chance):
    with sharing(tote, "--open-registration") as server:
        def call(path, body):
            request = urllib.request.Request(
                f"{server.url}/api/v1/{path}", data=json.dumps(body).encode(),
                headers={"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=20) as answer:
                return json.load(answer)

        account = {"username": "anna", "password": "correct horse"}
        call("register", account)
        token = call("login", account | {"token": True})["token"]
        upload = urllib.request.Request(
            f"{server.url}/api/v1/photos", data=PICTURE.read_bytes(),
            headers={"Content-Type": "image/jpeg", "Authorization": f"Bearer {token}"})
        urllib.request.urlopen(upload, timeout=20).close()
        (tote.folder / "schemathesis.toml").write_text(SETTINGS)
        # A run that finds nothing says so with status 0.
        result = subprocess.run(
            [os.path.join(os.path.dirname(sys.executable), "schemathesis"), "run",
             f"{server.url}/api/v1/openapi.json", "--header", f"Authorization: Bearer {token}",
             "--max-examples", "15", "--seed", str(chance.randrange(2**31)),
             # An endless answer, and the one after which every other would be 401.
             "--exclude-path", "/api/v1/events", "--exclude-path", "/api/v1/logout",
             "--request-timeout", "20", "--no-color"],
            cwd=tote.folder, env=tote.environment, capture_output=True, text=True, check=False,
            timeout=150)
        assert result.returncode == 0, result.stdout[-20000:] + result.stderr[-2000:]
