#!/bin/bash
# Builds the release binary, strips it, and says how large it is and how fast it starts.
# Usage: Scripts/release.sh OUTPUT
set -euo pipefail
cd "$(dirname "$0")/.."

output=$1
limit=$((20 * 1024 * 1024))

echo "Building the release binary (a few minutes the first time)"
swift build -c release --static-swift-stdlib --product tote 2>&1 |
  grep -vE '^\[[0-9]+/[0-9]+\] (Compiling|Emitting|Wrapping|Write|Linking|Applying)' || true
built=$(swift build -c release --static-swift-stdlib --show-bin-path)/tote
[[ -x $built ]] || { echo "The build failed" >&2; exit 1; }
mkdir -p "$(dirname "$output")"
strip -o "$output.new" "$built"
mv "$output.new" "$output"

size=$(stat -c %s "$output")
if ((size > limit)); then
  echo "$output has $size bytes, more than the limit of $limit: is all of Foundation linked in?" >&2
  exit 1
fi
"$output" --version >/dev/null
best=999999
for _ in {1..20}; do
  start=${EPOCHREALTIME/./}
  "$output" --version >/dev/null
  elapsed=$((${EPOCHREALTIME/./} - start))
  ((elapsed < best)) && best=$elapsed
done
printf '%s: %d.%d MB, starts in %d.%d ms\n' "$output" \
  $((size / 1000000)) $((size / 100000 % 10)) $((best / 1000)) $((best / 100 % 10))
