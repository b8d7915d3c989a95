"""What libvips does for the same photo, in its own process and on one thread: full picture and thumbnail.

Usage: vips.py ROUNDS PHOTO…    prints a line for each: best and median CPU ms, best ms by the clock, bytes written
"""

import os
import sys
import time

os.environ["VIPS_CONCURRENCY"] = "1"
import pyvips  # noqa: E402  (it reads the variable when it is imported)


def process(data):
    # The thumbnail from a scaled decode, which is libvips's fast way; the full picture streams.
    small = pyvips.Image.thumbnail_buffer(data, 320, height=320, crop="centre")
    thumbnail = small.jpegsave_buffer(Q=82, strip=True, subsample_mode="on")
    image = pyvips.Image.new_from_buffer(data, "", access="sequential")
    if "orientation" in image.get_fields() and image.get("orientation") > 2:
        # A turned picture cannot stream.
        image = pyvips.Image.new_from_buffer(data, "").autorot()
    full = image.jpegsave_buffer(Q=85, strip=True, subsample_mode="on")
    return len(full) + len(thumbnail)


def main():
    rounds = int(sys.argv[1])
    pyvips.cache_set_max(0)
    for path in sys.argv[2:]:
        with open(path, "rb") as file:
            data = file.read()
        cpu, wall, written = [], [], 0
        for _ in range(rounds):
            start = time.process_time(), time.perf_counter()
            written = process(data)
            cpu.append(1e3 * (time.process_time() - start[0]))
            wall.append(1e3 * (time.perf_counter() - start[1]))
        cpu.sort()
        print(cpu[0], cpu[rounds // 2], min(wall), written, flush=True)


if __name__ == "__main__":
    main()
