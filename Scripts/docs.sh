#!/bin/bash
# Writes man/ and completions/ from the commands' own declarations.
# Usage: Scripts/docs.sh                         generates them
#        Scripts/docs.sh --check BINARY FOLDER   generates into FOLDER and fails on any difference
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ ${1:-} == --check ]]; then
  "$2" __docs "$3"
  diff -ru man "$3/man"
  diff -ru completions "$3/completions"
  exit 0
fi

swift build --product tote
binary=$(swift build --show-bin-path)/tote
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$binary" __docs "$out"
rm -rf man completions
cp -r "$out/man" "$out/completions" .
echo "$(find man -type f | wc -l) man pages and $(find completions -type f | wc -l) completion scripts"
