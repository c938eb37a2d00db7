#!/bin/sh
# Runs folders of MPICH's test suite that have been built with the stub library: mpich.sh SOURCES FOLDER...
# Tests that MPICH itself expects to fail, and those that are not for the strict interface, are left out.
[ $# -ge 2 ] || { echo "usage: mpich.sh SOURCES FOLDER... (SOURCES/test/mpi/FOLDER/testlist)" >&2; exit 2; }
sources=$1
shift
limit=${LIMIT:-60}
failures=0

run_one() {  # NAME RANKS WORDS: words are arg=... and env=... of the testlist
  name=$1 ranks=$2
  shift 2
  arguments="" variables=""
  for word in "$@"; do
    case $word in
      arg=*) arguments="$arguments ${word#arg=}" ;;
      env=*) variables="$variables ${word#env=}" ;;
    esac
  done
  # Each is a list of words.
  # shellcheck disable=SC2086
  said=$(env $variables timeout "$limit" ${MPIEXEC:-mpiexec} -n "$ranks" "./$name" $arguments 2>&1 </dev/null)
  code=$?
  if printf '%s\n' "$said" | grep -qi "No Errors"; then
    passed=$((passed + 1))
    return
  fi
  failures=$((failures + 1))
  # A function of a later version is the reason of most.
  why=$(printf '%s\n' "$said" | grep -oE 'MPI_[A-Za-z_]+: Weft does not have this function yet' | head -n 1)
  [ -n "$why" ] || why="ended with $code: $(printf '%s\n' "$said" | tail -n 1 | cut -c1-160)"
  echo "$folder/$name -n $ranks$arguments: $why"
}

for folder in "$@"; do
  cd "$sources/test/mpi/$folder" || exit 2
  passed=0 left_out=0
  while read -r name ranks words; do
    case $name in '' | \#* | !*) continue ;; esac
    if [ -d "$name" ]; then continue; fi
    case $words in *xfail* | *mpiversion=4.* | *strict=false* | *strict=FALSE*) left_out=$((left_out + 1)); continue ;; esac
    if [ ! -x "./$name" ]; then
      echo "$folder/$name: was not built"
      left_out=$((left_out + 1))
      continue
    fi
    # shellcheck disable=SC2086
    run_one "$name" "$ranks" $words
  done <testlist
  echo "$folder: $passed passed, $left_out left out"
  cd - >/dev/null || exit 2
done
[ "$failures" = 0 ]
