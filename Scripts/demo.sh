#!/bin/bash
# Shows the main job with real output, in a temporary home that is removed afterwards.
# Usage: Scripts/demo.sh BINARY
set -euo pipefail
cd "$(dirname "$0")/.."

binary=$(realpath "$1")
scripts=$PWD/Scripts
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/home"
ln -s "$binary" "$folder/bin/tote"
export PATH=$folder/bin:$PATH HOME=$folder/home
export XDG_DATA_HOME=$HOME/.local/share XDG_CONFIG_HOME=$HOME/.config XDG_STATE_HOME=$HOME/.local/state
unset TOTE_HOME TOTE_NOW
export PAGER=cat TOTE_PAGER=cat
cd "$folder/home"

bold='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then bold=$'\e[1m' plain=$'\e[0m'; fi
chapter() { printf '\n%s%s%s\n\n' "$bold" "$*" "$plain"; }
say() { printf '%s\n' "$*"; }

# Shows a line of shell as typed, then runs it. A status other than 0 is shown, since it is part of the tour.
run() {
  printf '%s$ %s%s\n' "$bold" "$1" "$plain"
  local status=0
  bash -c "$1" || status=$?
  ((status == 0)) || printf '(exit status %d)\n' "$status"
  echo
}

# A value from a document, for the next command.
value() { tote store get "$1" "$2" --field "$3"; }

chapter "1. Documents in a store"
say "A store keeps JSON documents. Each has an id and a revision; a change names the revision it replaces."
echo
run "tote store create notes"
run "tote store put notes milk '{\"title\": \"Buy milk\", \"amount\": 2}'"
run "tote store get notes milk"
first=$(value notes milk _rev)
run "tote store put notes milk '{\"title\": \"Buy oat milk\", \"amount\": 2}' --rev $first"
say "Somebody else still has the old revision: their change is refused, not merged blindly."
echo
run "tote store put notes milk '{\"title\": \"Buy goat milk\"}' --rev $first"

chapter "2. 200,000 documents"
awk -v count=200000 -f "$scripts/sample.awk" </dev/null >tasks.jsonl
say "A file of 200,000 generated tasks, one JSON object a line:"
echo
run "head -n 2 tasks.jsonl; wc -c tasks.jsonl"
run "tote store create tasks"
run "time tote store import tasks tasks.jsonl"
run "tote store info tasks"

chapter "3. Finding things"
run "tote store find tasks --where 'priority >= 2 AND name CONTAINS[c] \"résumé\" AND owner.age > 80 AND tags CONTAINS \"paper\"' --fields name,owner.name,due --sort due --limit 5"
run "tote store find tasks --selector '{\"owner.age\": {\"\$gt\": 80}, \"done\": false}' --count"
say "An index makes that quick at any size; --explain tells which one a query uses."
echo
run "tote store index create tasks owner.age"
run "tote store find tasks --where 'owner.age > 80 AND done == FALSE' --explain"
run "tote store index create tasks name --text --name words"
run "tote store find tasks --text 'letter zoë' --fields name,due --limit 3"

chapter "4. Two copies, one conflict"
say "A copy of the store is edited elsewhere, and comes back. Nothing is lost: both versions stay until"
say "somebody chooses. The same winner is shown on every machine."
echo
run "tote store backup notes notes.backup && tote store restore notes.backup laptop"
run "tote store put laptop milk --merge '{\"amount\": 3}' --quiet; tote store put notes milk --merge '{\"amount\": 1}' --quiet"
run "tote store export laptop --all-revisions | tote store import notes -"
run "tote store conflicts notes"
run "tote store history notes milk"
run "tote store resolve notes milk --merge '{\"amount\": 4}'"
run "tote store get notes milk --conflicts"

chapter "5. Files on documents"
head -c 3000000 /dev/urandom >holiday.jpg
run "tote store attach notes milk holiday.jpg"
run "tote store attachments notes milk"
run "tote store fetch notes milk holiday.jpg --output copy.jpg && cmp holiday.jpg copy.jpg && echo same"

chapter "6. A todo list"
run "tote todo add 'Buy milk' --due tomorrow --priority high --tag shop"
run "tote todo add 'Water the plants' --due 'in 3 days' --tag home"
run "tote todo add 'Read a book'"
run "tote todo"
run "tote todo done --where 'tags CONTAINS \"shop\"'"
run "tote todo list --all --json"
run "tote todo export --format todotxt"

chapter "7. In scripts"
say "Everything is JSON on request, errors too, and every kind of failure has its own exit status."
echo
run "tote store find tasks --where 'owner.age == 87' --fields name --jsonl --limit 3 | while read -r line; do echo \"got: \$line\"; done"
run "tote store get notes nothing --json"
run "tote store changes notes --jsonl"

chapter "8. Photos"
say "A library of photos is a store, too. Of a file nothing is kept but its pixels, upright and in sRGB."
echo
mkdir pictures
cp "$scripts/sample.jpg" pictures/pier.jpg
cp "$scripts/sample.jpg" pictures/copy.jpg
echo 'no picture' >pictures/text.jpg
run "tote photo add pictures --user ann --title 'The pier'"
run "tote photo stream --show"
run "tote photo export album --user ann && ls album"

chapter "9. Care"
run "tote store verify tasks"
run "tote store compact notes"
run "tote store list"

chapter "Where to go on"
say "make install                 puts tote, its manual and its completions in place (PREFIX=/usr/local)"
say "man tote, man tote-store-find, tote help todo add"
