#!/bin/bash
# Measures the photo pipeline against libjpeg-turbo itself and libvips; see bench/photos/README.md.
# Usage: Scripts/bench-photos.sh [--write] [--rounds N]
set -euo pipefail
cd "$(dirname "$0")/.."

echo "Building the loops"
flags=(-c release --static-swift-stdlib)
swift build "${flags[@]}" --product photo-bench 2>&1 | grep -E 'error:' || true
harness=$(swift build "${flags[@]}" --show-bin-path)/photo-bench
mkdir -p .build/bench
clang -O2 -o .build/bench/reference bench/photos/reference.c -ljpeg -lm
python=$(Scripts/python.sh bench/photos/requirements.txt)
exec "$python" bench/photos/run.py "$harness" .build/bench/reference "$@"
