#!/usr/bin/env bash
# copies_kept.sh OSHRUN PROGRAM: what copies found is there for the next program, and only what can be believed is taken.
set -euo pipefail
oshrun=$1 program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
file=$folder/new/weft/copies

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}
# run FILE BYTES MIB: what it said of copies.
run() {
  local said
  said=$(WEFT_COPY_FILE=$1 SHMEM_DEBUG=1 "$oshrun" -n 2 "$program" "$2" "$3" 2>&1) || fail "the program failed:" "$said"
  grep copies <<<"$said" || true
}
known="as earlier programs found ($file)"

run "$file" 1000 32 >/dev/null
[[ ! -e $file ]] || fail 'who makes no large copies writes no file' "$(cat "$file")"
said=$(run "$file" 20000 8)
[[ ! -e $file && -z $said ]] || fail 'few copies try nothing, and yet:' "$said"

said=$(run "$file" 20000 32)
[[ $said != *"$known"* ]] || fail 'nothing was known, and yet:' "$said"
grep -qE '^16384 [a-z0-9_]+ [1-9]$' "$file" || fail 'not kept:' "$(cat "$file")" "$said"

first=$(head -n 1 "$file")
printf '%s\n16384 rep_movsb 4\n65536 rep_movsb 3\n' "$first" >"$file"
said=$(run "$file" 20000 32)
[[ $said == *"copies: from 16 KiB on rep_movsb, from 32 KiB on auto, $known"* ]] || fail 'this was agreed on, and yet:' "$said"
(($(grep -c 'copies: from' <<<"$said") == 1)) || fail 'one PE of a node reads the file, and yet:' "$said"
[[ $said != *'libc 1.00'* ]] || fail 'what is found is tried again:' "$said"
grep -q '^16384 rep_movsb 4$' "$file" || fail 'what is believed does not count again:' "$(cat "$file")"
said=$(run "$file" 100000 32)
[[ $said == *'copies from 64 KiB on: libc 1.00'* ]] || fail 'disturbed programs say little, and yet it was not tried:' "$said"

# PE 1 has another file, or none: it reads what is in its own and keeps what it finds there.
other=$folder/other
# shellcheck disable=SC2016 # it is the script that looks at them
printf '#!/bin/sh\n[ "$WEFT_PE" = 0 ] && export WEFT_COPY_FILE="$1" || export WEFT_COPY_FILE="$2"\nshift 2\nexec "$@"\n' >"$folder/each"
chmod +x "$folder/each"
printf '%s\n16384 rep_movsb 4\n' "$first" >"$other"
said=$(SHMEM_DEBUG=1 "$oshrun" -n 2 "$folder/each" none "$other" "$program" 20000 32 2>&1) || fail "the program failed:" "$said"
[[ $said == *"copies: from 16 KiB on rep_movsb,"*"($other)"* ]] || fail 'PE 1 has a file of its own, and yet:' "$said"
rm "$other"
"$oshrun" -n 2 "$folder/each" none "$other" "$program" 20000 32
grep -qE '^16384 ' "$other" || fail 'PE 1 keeps what it finds in its own file'

# It is kept where HOME was at the start.
env -u WEFT_COPY_FILE -u XDG_CACHE_HOME HOME="$folder/home" "$oshrun" -n 2 "$program" 20000 32 "$folder/elsewhere"
[[ -e $folder/home/.cache/weft && ! -e $folder/elsewhere ]] || fail 'HOME was another one at the start:' "$(find "$folder")"

printf 'nonsense\n' >"$file"
chmod 666 "$file"
said=$(run "$file" 20000 32)
[[ $said != *"$known"* && $(cat "$file") == nonsense ]] || fail 'others may write there, and yet:' "$said" "$(cat "$file")"

(cd "$folder" && run none 20000 32 >/dev/null)
[[ ! -e $folder/none ]] || fail 'none is no file'
echo 'what copies found is kept'
