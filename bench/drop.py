"""Measures `drop send` to `drop receive` over TLS on the loopback, against cp, curl to nginx, and magic-wormhole."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

LARGE = 1 << 30
FILES = 1_000
FILE = 100 << 10
NGINX = """
{user} daemon off; worker_processes 2; pid {folder}/nginx.pid; error_log {folder}/error.log crit;
events {{ worker_connections 64; }}
http {{
  access_log off; client_max_body_size 0; client_body_temp_path {folder}/body;
  client_body_buffer_size 1m; keepalive_requests 100000;
  proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{
    listen 127.0.0.1:{port} ssl; ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;
    ssl_protocols TLSv1.3; ssl_conf_command Ciphersuites TLS_AES_256_GCM_SHA384;
    location / {{ root {folder}/dav; dav_methods PUT; create_full_put_path on; }}
  }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class DropBench:
    """Adds its rows to a bench."""

    def __init__(self, bench):
        self.bench = bench
        # In memory where there is room: a disk that still writes what another side left would decide who is fast.
        memory = pathlib.Path("/dev/shm")
        has_room = memory.is_dir() and shutil.disk_usage(memory).free > 6 * LARGE
        self.holder = tempfile.TemporaryDirectory(dir=memory if has_room else bench.folder)
        self.folder = pathlib.Path(self.holder.name)
        print(f"drop: files in {'memory' if has_room else 'the bench folder'}", file=sys.stderr)
        self.nginx = None
        self.wormhole = None

    def measure(self):
        self.make_files()
        self.start_nginx()
        self.start_wormhole()
        try:
            self.measure_work("1 GiB", [self.large], 1.3, 3, 5)
            self.measure_work(f"{FILES:,} × 100 KiB", [self.many], 1.3, 3, 8)
            self.measure_small()
            self.measure_memory()
            self.measure_start()
        finally:
            for process in (self.nginx, *(self.wormhole or ())):
                if process is not None:
                    process.terminate()
                    process.wait()
            self.holder.cleanup()

    def make_files(self):
        self.large = self.folder / "large.bin"
        with open(self.large, "wb") as target:
            for _ in range(LARGE >> 20):
                target.write(os.urandom(1 << 20))
        self.many = self.folder / "many"
        self.many.mkdir()
        for index in range(FILES):
            (self.many / f"{index:04}.bin").write_bytes(os.urandom(FILE))
        self.small = self.folder / "small.txt"
        self.small.write_text("hello\n")

    # The peers

    def start_nginx(self):
        nginx = shutil.which("nginx") or "/usr/sbin/nginx"
        folder = self.folder / "nginx"
        (folder / "dav").mkdir(parents=True)
        self.bench.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder / "key.pem", "-out", folder / "cert.pem", "-days", "2"])
        port = free_port()
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port, user="user root;" if os.geteuid() == 0 else ""))
        self.nginx = subprocess.Popen([nginx, "-c", folder / "nginx.conf", "-p", folder], stderr=subprocess.DEVNULL)
        self.dav, self.dav_url, self.certificate = folder / "dav", f"https://127.0.0.1:{port}/", folder / "cert.pem"
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.05)
        sys.exit("nginx does not listen")

    def start_wormhole(self):
        """A mailbox of its own, so that nothing leaves the machine; the bytes go from one process to the other."""
        python = pathlib.Path(self.bench.sqlite_utils).parent
        if not (python / "wormhole").exists() or not (python / "twist").exists():
            print("magic-wormhole is not installed: its rows are left out", file=sys.stderr)
            return
        port = free_port()
        mailbox = subprocess.Popen(
            [python / "twist", "wormhole-mailbox", f"--port=tcp:{port}:interface=127.0.0.1"], cwd=self.folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.relay = [str(python / "wormhole"), f"--relay-url=ws://127.0.0.1:{port}/v1", "--transit-helper="]
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    self.wormhole = (mailbox,)
                    return
            time.sleep(0.05)
        mailbox.terminate()
        print("magic-wormhole's mailbox does not start: its rows are left out", file=sys.stderr)

    # One run of each

    def fresh(self, name):
        target = self.folder / name
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        return target

    def receiver(self, target, *options):
        process = subprocess.Popen(
            [self.bench.tote, "drop", "receive", "--into", str(target), "--bind", "127.0.0.1", "--yes", "--jsonl", *options],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.bench.environment, cwd=self.folder, text=True)
        return process, json.loads(process.stdout.readline())["ticket"]

    def tote(self, paths):
        """Seconds from the start of the sender to its end, when the receiver has confirmed everything."""
        target = self.fresh("received")
        process, ticket = self.receiver(target)
        ticket_file = self.folder / "ticket"
        ticket_file.write_text(ticket + "\n")
        seconds = self.bench.run([self.bench.tote, "drop", "send", "-", *map(str, paths)], ticket_file)
        process.communicate(timeout=60)
        return seconds, target

    def curl(self, paths):
        shutil.rmtree(self.dav, ignore_errors=True)
        self.dav.mkdir()
        head = [
            "curl", "-sf", "--tlsv1.3", "--tls13-ciphers", "TLS_AES_256_GCM_SHA384", "--cacert", str(self.certificate), "-H",
            "Expect:", "-o", "/dev/null"]
        config = self.folder / "curl.config"
        lines = []
        for path in paths:
            files = sorted(path.iterdir()) if path.is_dir() else [path]
            for file in files:
                name = file.relative_to(path.parent)
                lines.append(f'upload-file = "{file}"\nurl = "{self.dav_url}{name}"')
        config.write_text("\n".join(lines) + "\n")
        return self.bench.run([*head, "-K", str(config)]), self.dav

    def copy(self, paths):
        target = self.fresh("copied")
        return self.bench.run(["cp", "-r", *map(str, paths), str(target)]), target

    def worm(self, paths):
        target = self.fresh("wormed")
        code = f"1-{os.urandom(4).hex()}-bench"
        environment = {**self.bench.environment, "LC_ALL": "C.UTF-8"}
        receiving = subprocess.Popen(
            [*self.relay, "receive", "--accept-file", "--hide-progress", code], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=environment, cwd=target)
        seconds = self.bench.run([*self.relay, "send", "--hide-progress", "--no-qr", f"--code={code}", str(paths[0])])
        receiving.wait()
        return seconds, target

    @staticmethod
    def digests(path):
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        return {hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.is_file()}

    # Rows

    def measure_work(self, name, paths, against_curl, against_wormhole, against_copy):
        bench = self.bench
        wanted = set().union(*(self.digests(path) for path in paths))
        ways = {"tote": self.tote, "curl": self.curl, "cp": self.copy}
        if self.wormhole:
            ways["wormhole"] = self.worm
        times = {way: [] for way in ways}
        for round in range(bench.rounds):
            for way, work in ways.items():
                # The slow one need not be asked so often.
                if way == "wormhole" and round >= 2:
                    continue
                seconds, target = work(paths)
                times[way].append(seconds)
                if round == 0:
                    assert self.digests(target) == wanted, (way, name)
        median = statistics.median
        bench.compare(f"drop {name} over TLS, against curl -T to nginx over TLS", times["tote"], times["curl"], against_curl, of=median)
        if self.wormhole:
            bench.compare(
                f"drop {name}, against magic-wormhole", times["tote"], times["wormhole"], against_wormhole, at_most=False, of=median)
        bench.compare(f"drop {name}, against cp", times["tote"], times["cp"], against_copy, of=median)

    def measure_small(self):
        ours = [self.tote([self.small])[0] for _ in range(max(5, self.bench.rounds))]
        middle = statistics.median(ours)
        self.bench.add("drop one small file, from start to confirmed", f"{middle * 1e3:.0f} ms", "", "", "≤ 200 ms", middle <= 0.2)

    def measure_memory(self):
        target = self.fresh("received")
        process, ticket = self.receiver(target)
        ticket_file = self.folder / "ticket"
        ticket_file.write_text(ticket + "\n")
        sender = self.bench.memory([self.bench.tote, "drop", "send", "-", str(self.large)], ticket_file)
        status = pathlib.Path(f"/proc/{process.pid}/status")
        peak = re.search(r"VmHWM:\s+(\d+)", status.read_text()) if status.exists() else None
        process.communicate(timeout=60)
        receiver = f"{int(peak[1]) * 1024 / 1e6:.1f} MB" if peak else "gone"
        self.bench.add("peak memory of that, sender / receiver", f"{sender:.1f} MB / {receiver}", "", "", "≤ 64 MB", sender <= 64)

    def measure_start(self):
        times = []
        for _ in range(max(5, self.bench.rounds)):
            start = time.perf_counter()
            process, _ = self.receiver(self.fresh("received"))
            times.append(time.perf_counter() - start)
            process.terminate()
            process.communicate()
        middle = statistics.median(times)
        self.bench.add("drop receive, from start to ticket", f"{middle * 1e3:.0f} ms", "", "", "≤ 100 ms", middle <= 0.1)
