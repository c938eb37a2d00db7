#!/usr/bin/env bash
# Fuzzes: each harness, or those named, for WEFT_FUZZ_SECONDS (60). What it finds on its way it keeps in build/fuzz/corpus,
# from where the next run goes on.
#
# usage: tests/fuzz/run.sh BUILD [TARGET]...
set -euo pipefail
build=$1
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
programs=$build/tests/fuzz
seconds=${WEFT_FUZZ_SECONDS:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || {
  echo "fuzz: WEFT_FUZZ_SECONDS=$seconds is no number of seconds; give a whole one from 1 up" >&2
  exit 2
}

targets=()
for program in "$programs"/fuzz_*; do
  targets+=("${program##*/fuzz_}")
done
for name in "$@"; do
  [[ -x $programs/fuzz_$name ]] || {
    echo "fuzz: there is no target '$name'; it is one of: ${targets[*]}" >&2
    exit 2
  }
done
[[ $# -eq 0 ]] || targets=("$@")

failed=()
for name in "${targets[@]}"; do
  corpus=$build/corpus/$name
  found=$build/found/$name
  mkdir -p "$corpus" "$found"
  echo "fuzz: $name, $seconds s"
  # One input may take long where the machine has other things to do, but not this long.
  "$programs/fuzz_$name" -max_total_time="$seconds" -timeout=30 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$found/" "$corpus" "$here/corpus/$name" >"$build/$name.log" 2>&1 || {
    failed+=("$name")
    grep -aE 'broken:|ERROR:|runtime error:|Test unit written' "$build/$name.log" || tail -n 5 "$build/$name.log"
  }
  sed -n 's/^stat::number_of_executed_units: */fuzz:   inputs tried: /p' "$build/$name.log"
done
if [[ ${#failed[@]} -gt 0 ]]; then
  echo "fuzz: found something: ${failed[*]}; mend it, and keep the input as a file of tests/fuzz/corpus/TARGET" >&2
  exit 1
fi
echo "fuzz: nothing found"
