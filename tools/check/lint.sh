#!/usr/bin/env bash
# The checks of form, all of them, so that one run shows every complaint.
#
# usage: tools/check/lint.sh BUILD JOBS [SHARE]
#   BUILD: a configured build folder (for compile_commands.json)
#   SHARE: of the files that clang-tidy reads; without it, all (./dev tidied has the rule)
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
build=$1
jobs=$2
share=${3:-}
failed=()

check() {
  local name=$1
  shift
  printf '== %s\n' "$name"
  "$@" || failed+=("$name")
}

formatting() { ./dev sources | xargs clang-format-14 --dry-run -Werror; }

# Tests and generated text are compiled with warnings as errors; clang-tidy reads what ships.
tidy() {
  cmake --build "$build" --target weft_api_files >/dev/null || return 1
  ./dev tidied ${share:+"$share"} |
    xargs -P "$jobs" -n 4 clang-tidy-14 --quiet -p "$build" 2> >(grep -vE 'warnings? (generated|treated)|^Suppressed|^Use -' >&2)
}

python() {
  # Compiled in memory: a check leaves no files.
  find . -path ./build -prune -o -name '*.py' -print0 | xargs -0 python3 -c '
import ast, sys
bad = 0
for name in sys.argv[1:]:
    try:
        ast.parse(open(name).read(), name)
    except SyntaxError as error:
        print(f"{name}:{error.lineno}: {error.msg}")
        bad = 1
sys.exit(bad)'
}

shell() {
  local -a files
  mapfile -t files < <(./dev scripts)
  shellcheck "${files[@]}" && shellcheck -s sh "$build"/bin/oshcc "$build"/bin/oshfort "$build"/bin/weft-ompcc "$build"/debian/weft-dev/postinst
}

commits() {
  local range
  range=$(git rev-parse --verify -q origin/HEAD || git rev-list --max-parents=0 HEAD 2>/dev/null | tail -n 1) || return 0
  [ -z "$range" ] || python3 -B tools/check/commit_message.py --log "$range..HEAD"
}

check formatting formatting
# Half a minute, and CI, which runs shares, has it among its tests.
[ -n "$share" ] || check layers python3 -B tools/check/layers.py --build "$build"
check options python3 -B tools/check/options.py
check documented python3 -B tools/check/documented.py
check python python
check shell shell
check commits commits
check clang-tidy tidy

if [ ${#failed[@]} -gt 0 ]; then
  printf 'lint: failed: %s\n' "${failed[*]}" >&2
  exit 1
fi
printf 'lint: all is well\n'
