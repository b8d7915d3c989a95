"""CSV written by Python's csv module is read right, and what is exported reads right there."""

import csv
import io
import json


ROWS = [
    {"_id": "a", "name": "plain", "remark": "with, comma"},
    {"_id": "b", "name": 'with "quotes"', "remark": "two\nlines"},
    {"_id": "c", "name": " spaces ", "remark": "日本語, é"},
    {"_id": "d", "name": "", "remark": "'single' ;semi"},
]


def written(rows, **style):
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=["_id", "name", "remark"], **style)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def test_import_of_what_python_wrote(tote):
    tote.run("store", "create", "notes")
    tote.run("store", "import", "notes", "-", "--format", "csv", stdin=written(ROWS))
    for row in ROWS:
        found = tote.json("store", "get", "notes", row["_id"])
        # An empty cell is no member.
        assert (found.get("name", ""), found["remark"]) == (row["name"], row["remark"])


def test_import_with_everything_quoted_and_unix_line_ends(tote):
    tote.run("store", "create", "notes")
    text = written(ROWS, quoting=csv.QUOTE_ALL, lineterminator="\n")
    tote.run("store", "import", "notes", "-", "--format", "csv", stdin=text)
    assert tote.json("store", "get", "notes", "b")["remark"] == "two\nlines"


def test_export_read_by_python(tote):
    tote.run("store", "create", "notes")
    for row in ROWS:
        tote.run("store", "put", "notes", row["_id"], json.dumps({k: v for k, v in row.items() if k != "_id"}))
    found = list(csv.DictReader(io.StringIO(tote.run("store", "export", "notes", "-", "--format", "csv"), newline="")))
    found = {row["_id"]: row for row in found}
    for row in ROWS:
        assert {name: found[row["_id"]][name] for name in row} == row
