#!/bin/bash
# Runs every test and ends with the line 'N passed, N failed'.
# Usage: Scripts/test.sh    (VERBOSE=1 shows the whole output of the test runner)
set -uo pipefail
cd "$(dirname "$0")/.." || exit

passed=0
failed=0
logs=.build/checked
mkdir -p "$logs"

# Counts one check: `check NAME COMMAND…`, silent unless it fails.
check() {
  local name=$1 log=$logs/check.log
  shift
  if "$@" >"$log" 2>&1 </dev/null; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $name"
    sed 's/^/    /' "$log" | head -60
  fi
}

heading() { printf '== %s\n' "$*"; }

swift_flags=(--scratch-path .build/checked -Xswiftc -warnings-as-errors)

heading "build"
if ! swift build "${swift_flags[@]}" --build-tests >"$logs/build.log" 2>&1 </dev/null; then
  grep -E 'error:' "$logs/build.log" || tail -30 "$logs/build.log"
  echo "0 passed, 1 failed"
  exit 1
fi
binary=$(swift build "${swift_flags[@]}" --show-bin-path)/tote

heading "scripts, completions and man pages"
for script in Scripts/*.sh .ci/run completions/tote.bash; do
  [[ -e $script ]] && check "bash -n $script" bash -n "$script"
done
[[ -e completions/_tote ]] && check "zsh -n completions/_tote" zsh -n completions/_tote
[[ -e completions/tote.fish ]] && check "fish -n completions/tote.fish" fish -n completions/tote.fish
generated=$(mktemp -d)
trap 'rm -rf "$generated"' EXIT
[[ -e man/tote.1 ]] && check "man/ and completions/ are what 'make docs' makes" \
  Scripts/docs.sh --check "$binary" "$generated"
lint_page() {
  local report
  # References to system pages that a small machine does not have are no fault of the page.
  report=$(mandoc -T lint -W warning "$1" 2>&1 | grep -v 'referenced manual not found') || true
  if [[ -n $report ]]; then
    echo "$report"
    return 1
  fi
  lexgrog "$1"
}
for page in man/*.[157]; do
  [[ -e $page ]] && check "mandoc and lexgrog $page" lint_page "$page"
done

heading "swift test"
log=$logs/test.log
# Few at a time: tests wait for processes and disks, and a full pool would starve servers in tests.
swift test "${swift_flags[@]}" --skip-build --disable-xctest \
  --experimental-maximum-parallelization-width 6 >"$log" 2>&1 </dev/null
status=$?
[[ -n ${VERBOSE:-} ]] && cat "$log"
summary=$(grep -oE 'Test run with [0-9]+ tests?' "$log" | tail -1)
if [[ $summary =~ ([0-9]+) ]]; then
  total=${BASH_REMATCH[1]}
  wrong=$(grep -cE '^✘ Test .* failed after ' "$log")
  ((status != 0 && wrong == 0)) && wrong=1
  # The run's own closing line also begins with '✘ Test'.
  grep -qE '^✘ Test run with .* failed after ' "$log" && ((wrong > 1)) && wrong=$((wrong - 1))
  passed=$((passed + total - wrong))
  failed=$((failed + wrong))
else
  echo "FAILED: the test runner ended without a summary (exit $status)"
  failed=$((failed + 1))
  wrong=1
fi
if ((wrong > 0)); then
  grep -E '^(✘|↳|seed of)|Fatal error|error:' "$log" | head -200 || true
  tail -5 "$log"
fi
grep -E '^SKIPPED' "$log" | sort -u || true

heading "interop with Python's libraries"
if python=$(Scripts/python.sh Tests/Interop/requirements.txt); then
  interop=$logs/interop.log
  TOTE_TEST_BINARY=$binary "$python" -m pytest -q -p no:cacheprovider Tests/Interop \
    >"$interop" 2>&1 </dev/null
  status=$?
  count() { grep -oE "[0-9]+ $1" "$interop" | tail -1 | grep -oE '[0-9]+' || echo 0; }
  good=$(count passed)
  bad=$(($(count failed) + $(count error)))
  ((status != 0 && bad == 0)) && bad=1
  passed=$((passed + good))
  failed=$((failed + bad))
  ((bad > 0)) && tail -80 "$interop"
else
  echo "FAILED: the Python environment could not be made"
  failed=$((failed + 1))
fi

echo "$passed passed, $failed failed"
((failed == 0))
