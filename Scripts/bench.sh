#!/bin/bash
# Measures the release binary against its peers; see bench/README.md.
# Usage: Scripts/bench.sh TOTE [--write] [--sync-only | --drop-only] [--count N] [--rounds N]
set -euo pipefail
cd "$(dirname "$0")/.."

tote=$1
shift
echo "Building the benchmark's loops"
flags=(-c release --static-swift-stdlib)
swift build "${flags[@]}" --product tote-bench 2>&1 | grep -E 'error:' || true
harness=$(swift build "${flags[@]}" --show-bin-path)/tote-bench
python=$(Scripts/python.sh bench/requirements.txt)
exec "$python" bench/run.py "$tote" "$harness" "$(dirname "$python")/sqlite-utils" "$@"
