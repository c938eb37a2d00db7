#!/usr/bin/env bash
# many_starts.sh OSHRUN PROGRAM PES TIMES: a job that starts and ends well once must do so every time.
set -euo pipefail
oshrun=$1 program=$2 pes=$3 times=$4
for ((i = 1; i <= times; ++i)); do
  if ! out=$("$oshrun" -n "$pes" "$program" 2>&1); then
    printf 'run %d of %d failed:\n%s\n' "$i" "$times" "$out" >&2
    exit 1
  fi
done
echo "$times runs of $pes PEs: no failure"
