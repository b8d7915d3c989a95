"""Measures replication over the loopback between two processes of tote, against curl and `store import`."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys

COUNT = 10_000
LARGE = 1 << 30
MEGABYTES = 100


class SyncBench:
    """Adds its rows to a bench; a server of the bench's stores runs while it measures."""

    def __init__(self, bench):
        self.bench = bench
        self.server = None
        self.url = None

    def measure(self):
        self.serve()
        try:
            self.measure_documents()
            self.measure_nothing()
            self.measure_files()
            self.measure_large()
        finally:
            self.server.send_signal(signal.SIGTERM)
            self.server.wait()

    def tote(self, *arguments):
        return [self.bench.tote, *map(str, arguments)]

    def serve(self):
        self.server = subprocess.Popen(
            self.tote("sync", "serve", "--port", "0", "--jsonl"), stdout=subprocess.PIPE, env=self.bench.environment,
            cwd=self.bench.folder)
        self.url = json.loads(self.server.stdout.readline())["url"]

    def server_memory(self, reset=False):
        """The server's peak memory in MB since the last reset."""
        process = pathlib.Path(f"/proc/{self.server.pid}")
        if reset:
            (process / "clear_refs").write_text("5")
        return int(re.search(r"VmHWM:\s+(\d+)", (process / "status").read_text())[1]) * 1024 / 1e6

    def check(self, store, count):
        _, output = self.bench.run(self.tote("store", "info", store, "--json"), output=True)
        found = json.loads(output)["doc_count"]
        assert found == count, (store, found, count)

    # Documents

    def measure_documents(self):
        bench = self.bench
        lines = bench.folder / "sync.jsonl"
        with open(bench.docs, "rb") as source, open(lines, "wb") as target:
            for _, line in zip(range(COUNT), source):
                target.write(line)
        bench.run(self.tote("store", "create", "full"))
        bench.run(self.tote("store", "import", "full", lines))
        pulls, pushes, baseline = [], [], []
        for round in range(bench.rounds):
            pulled, pushed, plain = (f"{kind}{round}" for kind in ("pulled", "pushed", "plain"))
            for store in (pulled, pushed, plain):
                bench.run(self.tote("store", "create", store))
            fetch = bench.run(["curl", "-sf", "-o", "fetched", f"{self.url}full/_all_docs?include_docs=true"])
            baseline.append(fetch + bench.run(self.tote("store", "import", plain, lines)))
            pulls.append(bench.run(self.tote("sync", "pull", pulled, f"{self.url}full")))
            pushes.append(bench.run(self.tote("sync", "push", "full", f"{self.url}{pushed}")))
            self.check(pulled, COUNT)
            self.check(pushed, COUNT)
        for kind, seconds in (("pull", pulls), ("push", pushes)):
            bench.compare(f"{kind} {COUNT:,}, against curl and store import", seconds, baseline, 2.0)
            rate = COUNT / min(seconds)
            bench.add(f"{kind} {COUNT:,}, documents a second", f"{rate:,.0f}/s", "", "", "≥ 20,000/s", rate >= 20_000)

    def measure_nothing(self):
        bench = self.bench
        bench.run(self.tote("sync", "run", "pulled0", f"{self.url}full"))
        ours, theirs = bench.hyperfine(
            [f"{bench.tote} sync run pulled0 {self.url}full", f"curl -sf {self.url}full"], 20)
        bench.compare("sync with nothing to do, against one request of curl", ours, theirs, 3.0, unit="ms", scale=1e3)

    # Attachments

    def attach(self, store, documents):
        """Writes documents with one attachment of so many bytes each."""
        self.bench.run(self.tote("store", "create", store))
        for index, size in enumerate(documents):
            path = self.bench.folder / "file"
            with open(path, "wb") as target:
                for _ in range(0, size, 1 << 20):
                    target.write(os.urandom(min(size, 1 << 20)))
            self.bench.run(self.tote("store", "put", store, f"f{index}", "{}"))
            self.bench.run(self.tote("store", "attach", store, f"f{index}", path))
        path.unlink()

    def measure_files(self):
        bench = self.bench
        self.attach("files", [1_000_000] * MEGABYTES)
        ours, theirs = [], []
        for round in range(bench.rounds):
            names = [x for i in range(MEGABYTES) for x in ("-o", f"got{i}", f"{self.url}files/f{i}/file")]
            theirs.append(bench.run(["curl", "-sf", *names]))
            bench.run(self.tote("store", "create", f"files{round}"))
            ours.append(bench.run(self.tote("sync", "pull", f"files{round}", f"{self.url}files")))
            self.check(f"files{round}", MEGABYTES)
        bench.compare("100 × 1 MB, against curl", ours, theirs, 2.0)

    def measure_large(self):
        bench = self.bench
        self.attach("large", [LARGE])
        for kind, store, command in (
            ("pull", "large1", ("sync", "pull", "large1", f"{self.url}large")),
            ("push", "large2", ("sync", "push", "large", f"{self.url}large2")),
        ):
            bench.run(self.tote("store", "create", store))
            self.server_memory(reset=True)
            client = bench.memory(self.tote(*command))
            server = self.server_memory()
            self.check(store, 1)
            bench.drop_store(store)
            bench.add(
                f"1 GiB attachment memory, {kind}, client / server", f"{client:.1f} / {server:.1f} MB", "", "", "≤ 64 MB",
                max(client, server) <= 64)
        bench.drop_store("large")


def main():
    sys.exit("run by run.py")


if __name__ == "__main__":
    main()
