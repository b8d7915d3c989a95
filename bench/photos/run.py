"""Measures the photo pipeline against a bare loop over libjpeg-turbo and against libvips, side by side.

Usage: run.py PHOTO_BENCH REFERENCE [--write] [--rounds N]

Every side processes the same photos in turn, round after round; the table has the median of the rounds' ratios of CPU
time, in parentheses the ratio of the best rounds. The pipeline also makes a 1600 px view and a placeholder, averages in
linear light and checks the file; the others make the full picture and the thumbnail only.
"""

import argparse
import os
import pathlib
import platform
import statistics
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SIZES = {12: (4000, 3000), 24: (6000, 4000)}


def turned(photo):
    """The photo with an Exif block that says: turn clockwise."""
    entry = struct.pack("<HHIHH", 0x0112, 3, 1, 6, 0)
    block = b"Exif\0\0II*\0" + struct.pack("<IH", 8, 1) + entry + bytes(4)
    return photo[:2] + b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block + photo[2:]


def profiled(photo):
    """The photo with the colour profile of a file of the tests, one that colours must be converted from."""
    corpus = HERE.parent.parent / "Tests" / "PhotosTests" / "Corpus"
    source = (corpus / "icc_adobe_rgb.jpg").read_bytes()
    start = source.index(b"ICC_PROFILE\0") - 4
    length = struct.unpack(">H", source[start + 2:start + 4])[0]
    return photo[:2] + source[start:start + 2 + length] + photo[2:]


class Bench:
    def __init__(self, options):
        self.photo_bench = str(pathlib.Path(options.photo_bench).resolve())
        self.reference = str(pathlib.Path(options.reference).resolve())
        self.rounds, self.write_table = options.rounds, options.write
        base = pathlib.Path(os.environ.get("TOTE_BENCH_DIR", ".build/bench"))
        base.mkdir(parents=True, exist_ok=True)
        self.folder = tempfile.TemporaryDirectory(dir=base.resolve())
        self.rows = []

    def output(self, *command):
        result = subprocess.run(command, capture_output=True, check=False)
        if result.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: exit {result.returncode}\n{result.stderr.decode()[-2000:]}")
        return result.stdout

    def figures(self, *command):
        return [float(word) for word in self.output(*command).split()]

    def photo(self, megapixels, sampling, kind, change):
        path = pathlib.Path(self.folder.name) / f"{megapixels}-{sampling}-{kind}-{change and change.__name__}.jpg"
        width, height = map(str, SIZES[megapixels])
        data = self.output(self.reference, "generate", width, height, sampling, kind, str(megapixels))
        path.write_bytes(change(data) if change else data)
        return str(path)

    def compare(self, megapixels, sampling, kind="baseline", change=None):
        path = self.photo(megapixels, sampling, kind, change)
        sides = {"tote": [self.photo_bench, "1"], "loop": [self.reference, "loop", "1"],
                 "vips": [sys.executable, str(HERE / "vips.py"), "1"]}
        # The first run of a process pays for loading; each side's second is what counts.
        times = {name: [] for name in sides}
        for _ in range(self.rounds):
            for name, command in sides.items():
                lines = self.output(*command, path, path).decode().splitlines()
                times[name].append(float(lines[1].split()[0]))
        two = [float(self.output(self.photo_bench, "1", "two-threads", path, path).split()[7])
               for _ in range(self.rounds)]
        memory = self.figures(self.photo_bench, "1", path)[4]
        self.report(megapixels, sampling, kind, change, times, min(two), memory)

    def report(self, megapixels, sampling, kind, change, times, two, memory):
        work = f"{megapixels} MP {sampling[0]}:{sampling[1]}:{sampling[2]}"
        work += " progressive" if kind == "progressive" else f", {change.__name__}" if change else ""

        def ratio(peer):
            # Sides of one round ran within the same second, so that a slow spell met both.
            paired = statistics.median(a / b for a, b in zip(times["tote"], times[peer]))
            best = min(times["tote"]) / min(times[peer])
            return paired, f"{paired:.2f}× ({best:.2f}×)"

        def verdict(value, limit):
            return "" if limit is None else (f"≤ {limit:g}: " + ("pass" if value <= limit else "**miss**"))

        loop_limit = vips_limit = memory_limit = None
        if kind == "progressive":
            memory_limit = 120
        elif change is turned:
            loop_limit, memory_limit = 1.4, 60
        elif change is None:
            loop_limit, vips_limit, memory_limit = 1.2, {12: 0.6, 24: 0.7}[megapixels], 25
        (loop, loop_text), (vips, vips_text) = ratio("loop"), ratio("vips")
        self.rows.append([
            work, f"{min(times['tote']):.0f} ms", loop_text, verdict(loop, loop_limit), vips_text,
            verdict(vips, vips_limit), f"{memory:.0f} MB", verdict(memory, memory_limit), f"{two:.0f} ms"])
        print(" | ".join(self.rows[-1]), flush=True)

    def table(self):
        head = ["photo", "CPU", "bare loop", "", "libvips", "", "memory", "", "clock, two threads"]
        lines = [head, ["---"] * len(head), *self.rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    def main(self):
        for megapixels in SIZES:
            for sampling in ("420", "422"):
                self.compare(megapixels, sampling)
        for megapixels in SIZES:
            self.compare(megapixels, "420", change=turned)
        self.compare(24, "422", change=turned)
        self.compare(12, "420", change=profiled)
        self.compare(24, "420", "progressive")
        text = f"\n{os.cpu_count()} cores, {platform.system()} {platform.release()}; {self.rounds} rounds.\n\n{self.table()}\n\n"
        print(text)
        if self.write_table:
            page = HERE / "README.md"
            before, rest = page.read_text().split("<!-- measured -->")
            after = rest.split("<!-- /measured -->")[1]
            page.write_text(f"{before}<!-- measured -->\n{text}<!-- /measured -->{after}")
        missed = sum("miss" in cell for row in self.rows for cell in row)
        print(f"{missed} targets missed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("photo_bench")
    parser.add_argument("reference")
    parser.add_argument("--write", action="store_true", help="put the table into bench/photos/README.md")
    parser.add_argument("--rounds", type=int, default=15)
    Bench(parser.parse_args()).main()


if __name__ == "__main__":
    main()
