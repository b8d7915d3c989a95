"""Rows into and out of a database by SQLCipher's own library: what `tote-bench pages` does by tote's.

Usage: sqlcipher_rows.py FILE FOLDER    prints the seconds as JSON
"""

import json
import sys
import time

import sqlcipher3


def main():
    source, folder = sys.argv[1:]
    with open(source, encoding="utf-8") as lines:
        rows = [(f"row-{number}", line.rstrip("\n")) for number, line in enumerate(lines)]
    path = f"{folder}/rows.db"

    def connect():
        connection = sqlcipher3.connect(path, isolation_level=None)
        # A raw key with its salt: neither side derives a key here.
        connection.execute(f"PRAGMA key = \"x'{bytes(range(100, 132)).hex()}{'05' * 16}'\"")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA cache_size = -16384")
        return connection

    start = time.perf_counter()
    connection = connect()
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE docs(seq INTEGER PRIMARY KEY, id TEXT UNIQUE, body TEXT)")
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany("INSERT INTO docs(id, body) VALUES(?, ?)", rows)
    connection.execute("COMMIT")
    connection.close()
    insert = time.perf_counter() - start
    start = time.perf_counter()
    connection = connect()
    found = connection.execute("SELECT id, body FROM docs").fetchall()
    read = time.perf_counter() - start
    assert found == rows
    print(json.dumps({"insert": insert, "read": read}))


if __name__ == "__main__":
    main()
