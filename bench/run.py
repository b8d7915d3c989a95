"""Measures tote against its peers on this machine, side by side, and prints ratios.

Usage: run.py TOTE HARNESS SQLITE_UTILS [--write] [--sync-only | --drop-only] [--count N] [--rounds N]

Every comparison runs both sides once a round, in turn, and takes the best and the median of the rounds: a slow
spell of the machine meets both. Each run's result is checked, so that nothing is fast by doing less.
"""

import argparse
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from drop import DropBench
from sync import SyncBench

HERE = pathlib.Path(__file__).resolve().parent
FIND_RANGE = (40.0, 40.5)


class Row:
    """One line of the table. `ratio` is tote's figure divided by the peer's, or what `meaning` says."""

    def __init__(self, work, tote, peer, ratio, target, holds):
        self.work, self.tote, self.peer, self.ratio, self.target, self.holds = work, tote, peer, ratio, target, holds

    def cells(self):
        verdict = "" if self.holds is None else ("pass" if self.holds else "**miss**")
        return [self.work, self.tote, self.peer, self.ratio, self.target, verdict]


class Bench:
    def __init__(self, options):
        self.options = options
        self.tote = str(pathlib.Path(options.tote).resolve())
        self.harness = str(pathlib.Path(options.harness).resolve())
        self.sqlite_utils = os.path.abspath(options.sqlite_utils)
        self.count, self.rounds = options.count, options.rounds
        base = pathlib.Path(os.environ.get("TOTE_BENCH_DIR", ".build/bench"))
        base.mkdir(parents=True, exist_ok=True)
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=base.resolve()))
        self.docs = self.folder / "docs.jsonl"
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", "TZ": "UTC0",
            "TOTE_HOME": str(self.folder / "home"),
        }
        self.rows = []

    # Running

    def run(self, command, stdin=None, output=False):
        """Runs a command to its end; returns seconds, or seconds and its standard output."""
        with open(stdin or os.devnull, "rb") as source:
            start = time.perf_counter()
            result = subprocess.run(
                command, stdin=source, capture_output=True, env=self.environment, cwd=self.folder, check=False)
            seconds = time.perf_counter() - start
        if result.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: exit {result.returncode}\n{result.stderr.decode()[-2000:]}")
        return (seconds, result.stdout) if output else seconds

    def memory(self, command, stdin=None):
        """Peak memory of a command, in MB."""
        report = self.folder / "memory"
        self.run(["/usr/bin/time", "-f", "%M", "-o", str(report), *command], stdin)
        return int(report.read_text()) * 1024 / 1e6

    def hyperfine(self, commands, runs):
        """Seconds of short commands, in turn for several rounds: a list of samples for each."""
        samples = [[] for _ in commands]
        report = self.folder / "hyperfine.json"
        for _ in range(self.rounds):
            self.run(["hyperfine", "-N", "--warmup", "3", "--runs", str(runs), "--export-json", str(report), *commands])
            for index, result in enumerate(json.loads(report.read_text())["results"]):
                samples[index] += result["times"]
        return samples

    def drop_store(self, name):
        shutil.rmtree(self.folder / "home" / f"{name}.store", ignore_errors=True)

    def add(self, *row):
        self.rows.append(Row(*row))
        print("  " + "  |  ".join(self.rows[-1].cells()), file=sys.stderr, flush=True)

    def compare(self, work, ours, theirs, target, at_most=True, unit="s", scale=1.0, of=min):
        """Adds a row from two lists of seconds. `at_most`: the ratio ours/theirs, else theirs/ours (how much faster)."""
        best = [of(ours), of(theirs)]
        middle = [statistics.median(ours), statistics.median(theirs)]
        ratios = [a / b if at_most else b / a for a, b in (best, middle)]
        holds = None if target is None else (ratios[0] <= target if at_most else ratios[0] >= target)
        sign = "≤" if at_most else "≥"
        self.add(
            work, f"{best[0] * scale:.2f} {unit}", f"{best[1] * scale:.2f} {unit}",
            f"{ratios[0]:.2f}× ({ratios[1]:.2f}×)", "" if target is None else f"{sign} {target}×", holds)

    # What is measured

    def generate(self):
        with open(self.docs, "wb") as target:
            subprocess.run([sys.executable, str(HERE / "generate.py"), str(self.count)], stdout=target, check=True)

    def shell_import_script(self, raw):
        script = self.folder / f"import-{raw or 'main'}.sql"
        script.write_text(
            f"create {raw} table raw(line text);\n.mode ascii\n.separator \"\\037\" \"\\n\"\nbegin;\n"
            f".import {self.docs} raw\n"
            "create table docs(seq integer primary key, id text unique not null, body text not null);\n"
            "insert into docs(id, body) select json_extract(line, '$._id'), line from raw;\ncommit;\n")
        return script

    def measure_import(self):
        database, script, temporary = self.folder / "shell.db", self.shell_import_script(""), self.shell_import_script("temp")
        ours, shell, shell_temporary, again = [], [], [], []
        self.run([self.tote, "store", "list"])
        for _ in range(self.rounds):
            self.drop_store("bench")
            ours.append(self.import_once("bench"))
            for target, text in ((shell, script), (shell_temporary, temporary)):
                database.unlink(missing_ok=True)
                target.append(self.run(["sqlite3", str(database)], text))
        self.check_import(database)
        work = f"import {self.count:,} documents"
        self.compare(f"{work}, against the sqlite3 shell", ours, shell, 0.8)
        self.compare(f"{work}, against the shell with a temporary raw table", ours, shell_temporary, None)
        for _ in range(2):
            again.append(self.run([self.tote, "store", "import", "bench", str(self.docs), "--on-conflict", "skip"]))
        self.compare("import them again (all skipped), against the first import of the shell", again, shell, None)
        self.measure_import_peers(ours, database, script)

    def measure_import_peers(self, ours, database, script):
        other = self.folder / "utils.db"
        theirs = []
        command = [self.sqlite_utils, "insert", str(other), "docs", str(self.docs), "--nl", "--pk", "_id"]
        for _ in range(1 if self.rounds < 3 else 2):
            other.unlink(missing_ok=True)
            theirs.append(self.run(command))
        self.compare(
            f"import {self.count:,} documents, against sqlite-utils insert", ours, theirs, 10, at_most=False)
        self.drop_store("memory")
        self.run([self.tote, "store", "create", "memory"])
        mine = self.memory([self.tote, "store", "import", "memory", str(self.docs)])
        database.unlink()
        shell = self.memory(["sqlite3", str(database)], self.shell_import_script("temp"))
        self.add("peak memory of that import", f"{mine:.1f} MB", f"{shell:.1f} MB", "", "≤ 40 MB", mine <= 40)
        large = self.folder / "large.jsonl"
        with open(large, "wb") as target:
            for copy in range(3):
                text = self.docs.read_bytes().replace(b'"_id": "todo-', b'"_id": "copy%d-' % copy)
                target.write(text)
        self.drop_store("memory")
        self.run([self.tote, "store", "create", "memory"])
        mine = self.memory([self.tote, "store", "import", "memory", str(large)])
        large.unlink()
        self.drop_store("memory")
        self.add("peak memory of an import three times as large", f"{mine:.1f} MB", "", "", "≤ 40 MB", mine <= 40)
        self.measure_size(database)

    def measure_size(self, database):
        store = self.folder / "home" / "bench.store"
        ours = sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
        theirs = database.stat().st_size
        self.add(
            "size on disk per document", f"{ours / self.count:.0f} B", f"{theirs / self.count:.0f} B",
            f"{ours / theirs:.2f}×", "≤ 1.1×", ours / theirs <= 1.1)

    def import_once(self, name):
        self.run([self.tote, "store", "create", name])
        return self.run([self.tote, "store", "import", name, str(self.docs)])

    def check_import(self, database):
        _, text = self.run([self.tote, "store", "info", "bench", "--json"], output=True)
        found = json.loads(text)["doc_count"]
        _, rows = self.run(["sqlite3", str(database), "select count(*) from docs"], output=True)
        assert found == int(rows) == self.count, (found, rows)

    def measure_puts(self):
        folder = self.folder / "puts"
        folder.mkdir()
        _, text = self.run([self.harness, "puts", str(self.docs), str(folder), "5000"], output=True)
        shutil.rmtree(folder)
        figures = json.loads(text)
        for mode in ("normal", "full"):
            ours, theirs = figures.get(f"tote.{mode}.best"), figures[f"sqlite.{mode}.best"]
            if ours is None:
                continue
            middle = figures[f"tote.{mode}.median"] / figures[f"sqlite.{mode}.median"]
            self.add(
                f"single puts, one transaction each, synchronous={mode.upper()}", f"{ours:,.0f}/s", f"{theirs:,.0f}/s",
                f"{ours / theirs:.2f}× ({middle:.2f}×)", "≥ 0.8×", ours / theirs >= 0.8)

    def measure_find(self):
        database = self.folder / "shell.db"
        low, high = FIND_RANGE
        self.run(["sqlite3", str(database), "create index score on docs(json_extract(body, '$.owner.score'))"])
        self.run([self.tote, "store", "index", "create", "bench", "owner.score"])
        selector = {"owner.score": {"$gte": low, "$lte": high}}
        sql = f"select body from docs where json_extract(body, '$.owner.score') between {low} and {high}"
        hits = self.measure_one_find(selector, sql, 40)
        self.find_row("indexed find of {:,} documents, whole process", hits, 1.3, True)
        selector = {"priority": {"$gte": 1}, "owner.age": {"$gt": 40}, "tags": {"$elemMatch": {"$eq": "milk"}}}
        sql = (
            "select body from docs where json_extract(body, '$.priority') >= 1 and json_extract(body, '$.owner.age') > 40"
            " and exists (select 1 from json_each(body, '$.tags') where value = 'milk')")
        hits = self.measure_one_find(selector, sql, 3)
        self.find_row("find with three conditions and no index ({:,} documents)", hits, 2.5, False)

    def measure_one_find(self, selector, sql, runs):
        query = self.folder / "selector.json"
        query.write_text(json.dumps(selector))
        ours = [self.tote, "store", "find", "bench", "--jsonl", "--selector", f"@{query}"]
        statement = self.folder / "query.sql"
        statement.write_text(sql + ";\n")
        theirs = ["sqlite3", str(self.folder / "shell.db"), f".read {statement}"]
        found = [self.ids(self.run(command, output=True)[1]) for command in (ours, theirs)]
        assert found[0] == found[1], (len(found[0]), len(found[1]))
        times = self.hyperfine([self.quoted(ours), self.quoted(theirs)], runs)
        return len(found[0]), times

    def find_row(self, title, measured, target, at_most):
        hits, (ours, theirs) = measured
        self.compare(title.format(hits), ours, theirs, target, at_most, "ms", 1000)

    @staticmethod
    def ids(output):
        return sorted(json.loads(line)["_id"] for line in output.splitlines())

    @staticmethod
    def quoted(command):
        return " ".join(f"'{word}'" for word in command)

    def measure_json(self):
        _, text = self.run([self.harness, "json", str(self.docs)], output=True)
        figures = json.loads(text)
        peer = figures["foundation.best"]
        for name, work, target in (
            ("canonical", "JSON text to canonical bytes", 8), ("tape", "JSON text to tape", None), ("tree", "JSON text to tree", None),
        ):
            ours = figures[f"{name}.best"]
            middle = figures[f"{name}.median"] / figures["foundation.median"]
            self.add(
                f"{work}, against JSONSerialization's parse", f"{ours:.0f} MB/s", f"{peer:.0f} MB/s",
                f"{ours / peer:.1f}× ({middle:.1f}×)", "" if target is None else f"≥ {target}×",
                None if target is None else ours / peer >= target)

    # Encryption

    def measure_encryption(self):
        self.key = self.folder / "bench.key"
        self.key.write_bytes(bytes(range(32)))
        self.encrypted = ["--key-file", str(self.key)]
        plain, sealed = [], []
        for _ in range(self.rounds):
            for name, times, options in (("plain", plain, []), ("sealed", sealed, self.encrypted)):
                self.drop_store(name)
                self.run([self.tote, "store", "create", name, *(["--encrypt", *options] if options else [])])
                times.append(self.run([self.tote, "store", "import", name, str(self.docs), *options]))
        self.compare(f"import {self.count:,} documents into an encrypted store, against a plain one", sealed, plain, 2)
        self.measure_encrypted_find()
        self.measure_encrypted_files()
        self.measure_pages()
        for name in ("plain", "sealed"):
            self.drop_store(name)

    def measure_encrypted_find(self):
        low, high = FIND_RANGE
        query = self.folder / "sealed-selector.json"
        query.write_text(json.dumps({"owner.score": {"$gte": low, "$lte": high}}))
        commands = []
        for name, options in (("sealed", self.encrypted), ("plain", [])):
            self.run([self.tote, "store", "index", "create", name, "owner.score", *options])
            commands.append([self.tote, "store", "find", name, "--jsonl", "--selector", f"@{query}", *options])
        found = [self.ids(self.run(command, output=True)[1]) for command in commands]
        assert found[0] == found[1] and found[0]
        ours, theirs = self.hyperfine([self.quoted(command) for command in commands], 40)
        self.compare("indexed find in the encrypted store, against the plain one", ours, theirs, 1.5, True, "ms", 1000)

    def measure_encrypted_files(self):
        content = self.folder / "content.bin"
        writes, reads = {"sealed": [], "plain": []}, {"sealed": [], "plain": []}
        copy = self.folder / "copy.bin"
        for number in range(self.rounds):
            content.write_bytes(os.urandom(64 << 20))
            for name, options in (("sealed", self.encrypted), ("plain", [])):
                document = f"file-{number}"
                self.run([self.tote, "store", "put", name, document, "{}", *options])
                writes[name].append(self.run([self.tote, "store", "attach", name, document, str(content), *options]))
                copy.unlink(missing_ok=True)
                reads[name].append(self.run(
                    [self.tote, "store", "fetch", name, document, content.name, "--output", str(copy), *options]))
                assert copy.read_bytes() == content.read_bytes()
        for work, times in (("write", writes), ("read", reads)):
            self.compare(
                f"{work} a 64 MiB attachment in the encrypted store, against the plain one (speed)", times["sealed"],
                times["plain"], 0.5, at_most=False)

    def measure_pages(self):
        """Both sides are told apart by nothing but the library: same rows, table and settings."""
        python = str(pathlib.Path(self.sqlite_utils).parent / "python")
        commands = {
            "ours": [self.harness, "pages", str(self.docs)], "theirs": [python, str(HERE / "sqlcipher_rows.py"), str(self.docs)]}
        times = {side: {"insert": [], "read": []} for side in commands}
        for _ in range(self.rounds):
            for side, command in commands.items():
                folder = self.folder / "pages"
                folder.mkdir()
                figures = json.loads(self.run([*command, str(folder)], output=True)[1])
                shutil.rmtree(folder)
                for work, seconds in figures.items():
                    times[side][work].append(seconds)
        for work, title in (("insert", "insert the rows into an encrypted database"), ("read", "read them all")):
            self.compare(f"{title}, against SQLCipher from Python", times["ours"][work], times["theirs"][work], 1.2)

    def measure_start(self):
        document = json.loads(self.docs.open(encoding="utf-8").readline())["_id"]
        commands = [
            [self.tote, "--version"], [self.tote, "store", "get", "bench", document], ["sqlite3", ":memory:", "select 1"],
        ]
        version, get, shell = self.hyperfine([self.quoted(command) for command in commands], 60)
        # Single runs of a few milliseconds: the median says more than the luckiest of hundreds.
        for name, times, target in (("tote --version", version, 2.0), ("tote store get", get, 2.5)):
            self.compare(
                f"start-up of {name}, against sqlite3 :memory: 'select 1'", times, shell, target, True, "ms", 1000,
                of=statistics.median)
        memory = [self.memory(command) for command in commands]
        self.add(
            "peak memory of those three", f"{memory[0]:.1f} / {memory[1]:.1f} MB", f"{memory[2]:.1f} MB", "", "", None)
        size = os.stat(self.tote).st_size / 1e6
        self.add("stripped binary", f"{size:.1f} MB", "", "", "≤ 20 MB", size <= 20)

    # The report

    def table(self):
        lines = [["work", "tote", "peer", "ratio of bests (of medians)", "target", ""]]
        lines += [row.cells() for row in self.rows]
        widths = [max(len(line[column]) for line in lines) for column in range(6)]
        lines.insert(1, ["-" * width for width in widths])
        return "\n".join(
            "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in lines)

    def surroundings(self):
        _, shell = self.run(["sqlite3", "--version"], output=True)
        _, utils = self.run([self.sqlite_utils, "--version"], output=True)
        processor = "unknown processor"
        for line in open("/proc/cpuinfo", encoding="utf-8"):
            if line.startswith("model name"):
                processor = line.split(":", 1)[1].strip()
                break
        return (
            f"{os.cpu_count()} cores ({processor}), {platform.system()} {platform.release()}; sqlite3 {shell.decode().split()[0]}, "
            f"{utils.decode().strip()}; {self.count:,} documents, {self.docs.stat().st_size / 1e6:.1f} MB; {self.rounds} rounds.")

    def write(self, text):
        readme = HERE / "README.md"
        start, end = "<!-- measured -->\n", "<!-- /measured -->"
        old = readme.read_text(encoding="utf-8")
        head, tail = old[: old.index(start) + len(start)], old[old.index(end):]
        readme.write_text(head + text + tail, encoding="utf-8")

    def main(self):
        try:
            self.generate()
            if not self.options.sync_only and not self.options.drop_only:
                self.measure_json()
                self.measure_import()
                self.measure_puts()
                self.measure_find()
                self.measure_encryption()
                self.measure_start()
            if not self.options.drop_only:
                SyncBench(self).measure()
            if not self.options.sync_only:
                DropBench(self).measure()
            text = f"\n{self.surroundings()}\n\n{self.table()}\n\n"
            print(text)
            if self.options.write:
                self.write(text)
            missed = [row.work for row in self.rows if row.holds is False]
            print(f"{len(missed)} of {sum(row.holds is not None for row in self.rows)} targets missed")
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tote")
    parser.add_argument("harness")
    parser.add_argument("sqlite_utils")
    parser.add_argument("--write", action="store_true", help="put the table into bench/README.md")
    parser.add_argument("--sync-only", action="store_true", help="measure replication alone")
    parser.add_argument("--drop-only", action="store_true", help="measure drop alone")
    parser.add_argument("--count", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=5)
    Bench(parser.parse_args()).main()


if __name__ == "__main__":
    main()
