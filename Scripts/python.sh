#!/bin/bash
# Makes the virtual environment .venv from pinned packages, once per list, and prints its python.
# Usage: Scripts/python.sh REQUIREMENTS.txt
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=$1
stamp=.venv/$(sha256sum "$requirements" | cut -c 1-16)
if [[ ! -e $stamp ]]; then
  [[ -x .venv/bin/python ]] || python3 -m venv .venv >&2 || /usr/bin/python3 -m venv .venv >&2
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -r "$requirements" >&2
  touch "$stamp"
fi
echo "$PWD/.venv/bin/python"
