#!/bin/bash
# Installs the Debian packages that a purpose needs, and only those that are missing.
# Usage: Scripts/packages.sh PURPOSE…    (build, lint, test, bench, bench-photos)
set -euo pipefail

wanted=()
for purpose in "$@"; do
  case $purpose in
    build)
      wanted+=(pkg-config libsqlite3-dev nettle-dev libpcre2-dev zlib1g-dev)
      wanted+=(libmicrohttpd-dev libcurl4-gnutls-dev libgnutls28-dev)
      wanted+=(libjpeg-dev liblcms2-dev libqrencode-dev libzbar-dev)
      # The library's package is named after its version; any of them will do.
      [[ $(/sbin/ldconfig -p) == *libicui18n* ]] || wanted+=(libicu-dev)
      ;;
    lint) wanted+=(shellcheck) ;;
    test)
      wanted+=(bash zsh fish mandoc man-db sqlite3 tmux python3 python3-venv)
      wanted+=(chromium chromium-driver fonts-dejavu-core)
      ;;
    bench-photos) wanted+=(libvips42 python3 python3-venv) ;;
    bench) wanted+=(hyperfine time sqlite3 python3 python3-venv curl nginx-light openssl) ;;
    *)
      echo "packages.sh: unknown purpose '$purpose'" >&2
      exit 64
      ;;
  esac
done

missing=()
for package in "${wanted[@]}"; do
  # `pkg-config` is a virtual name on newer Debian releases; a program on the path is as good.
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $state == installed ]] || [[ -x /usr/bin/$package ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

if ! command -v apt-get >/dev/null; then
  echo "tote needs these Debian packages, or your system's like: ${missing[*]}" >&2
  exit 1
fi
as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "tote needs some Debian packages. As root, run:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "Installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! {
  "${as_root[@]}" apt-get update &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y --no-install-recommends "${missing[@]}"
} >"$log" 2>&1 </dev/null; then
  tail -20 "$log" >&2
  echo "Could not install ${missing[*]}" >&2
  exit 1
fi
