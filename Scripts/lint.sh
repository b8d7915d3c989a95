#!/bin/bash
# Checks what can be checked without running anything, fastest first.
set -euo pipefail
cd "$(dirname "$0")/.."

echo "lint: format"
swift format lint --strict --parallel -r Sources Tests bench Package.swift

echo "lint: scripts"
mapfile -t scripts < <(find Scripts .ci bench Tests -type f \( -name '*.sh' -o -path '.ci/run' \))
for script in "${scripts[@]}"; do bash -n "$script"; done
if command -v shellcheck >/dev/null; then
  shellcheck -x "${scripts[@]}"
else
  echo "lint: shellcheck is not installed: skipped"
fi

echo "lint: build with warnings as errors"
# The same flags and folder as Scripts/test.sh, so that nothing is built twice.
log=.build/checked/build.log
mkdir -p "$(dirname "$log")"
if ! swift build --scratch-path .build/checked --build-tests -Xswiftc -warnings-as-errors \
  >"$log" 2>&1; then
  grep -E 'error:|warning:' "$log" >&2 || tail -30 "$log" >&2
  exit 1
fi
if grep -E 'warning:' "$log" >&2; then exit 1; fi
echo "lint: clean"
