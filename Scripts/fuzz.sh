#!/bin/bash
# Feeds the photo pipeline and the reader of forms what libFuzzer makes up from the tests' files, for
# some seconds.
# What it learns stays in .build/fuzz/learned. An input that crashes is kept in .build/fuzz/found:
# once it is understood it belongs into Tests/PhotosTests/Found, where the tests run it.
# Usage: Scripts/fuzz.sh SECONDS
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=$1
scratch=.build/fuzz
# Asked for as two, Swift's compiler would take only one of them.
flags=(-c release --scratch-path "$scratch" --sanitize fuzzer)
flags+=(-Xswiftc "-sanitize=fuzzer,address" -Xcc -fsanitize=address -Xswiftc -DFUZZING)
# Little CMS and libjpeg keep what they allocate at start; leaks are looked for by other tests.
export ASAN_OPTIONS=detect_leaks=0
mkdir -p "$scratch/seeds" "$scratch/learned" "$scratch/found"

echo "fuzz: build"
if ! swift build "${flags[@]}" --product photo-fuzz >"$scratch/build.log" 2>&1; then
  grep -E 'error:' "$scratch/build.log" >&2 || tail -20 "$scratch/build.log" >&2
  exit 1
fi
program=$(swift build "${flags[@]}" --show-bin-path)/photo-fuzz

# The first byte of an input chooses the options, or a form.
for file in Tests/PhotosTests/Corpus/*.jpg; do
  if (($(stat -c %s "$file") < 20000)); then
    { printf '\004' && cat "$file"; } >"$scratch/seeds/$(basename "$file")"
  fi
done
form='--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nx\r\n'
form+='--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n'
form+='Content-Type: image/jpeg\r\n\r\n\377\330\377\r\n--b--\r\n'
for length in 200 203 277; do
  # shellcheck disable=SC2059 # It is a format: its escapes are meant.
  printf "\\$length$form" >"$scratch/seeds/form-$length"
done
echo "fuzz: $seconds s"
"$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1000 -max_len=20000 \
  -artifact_prefix="$scratch/found/" -print_final_stats=1 \
  "$scratch/learned" "$scratch/seeds" Tests/PhotosTests/Found 2>&1 |
  grep -E '^(ERROR|SUMMARY|stat::number_of_executed_units|Done|==)|Fatal|Test unit' ||
  true
[[ -z $(ls "$scratch/found") ]] || {
  echo "fuzz: inputs that fail are in $scratch/found" >&2
  exit 1
}
