#!/bin/sh
# Runs folders of MPICH's test suite that have been built with the stub library: mpich.sh SOURCES FOLDER...
# Tests that MPICH itself expects to fail, and those that are not for the strict interface, are left out. `basic` has no
# list: what it has is run at one rank and two.
[ $# -ge 2 ] || { echo "usage: mpich.sh SOURCES FOLDER... (SOURCES/test/mpi/FOLDER/testlist)" >&2; exit 2; }
sources=$1
shift
limit=${LIMIT:-60}
failures=0

run_one() {  # NAME RANKS WORDS: words are arg=... and env=... of the testlist
  name=$1 ranks=$2
  shift 2
  arguments="" variables="" wanted="no errors" passes=no seconds=$limit
  for word in "$@"; do
    case $word in
      arg=*) arguments="$arguments ${word#arg=}" ;;
      env=*) variables="$variables ${word#env=}" ;;
      timeLimit=*) seconds=${word#timeLimit=} ;;
      resultTest=TestStatus | resultTest=TestErrFatal) wanted=failure ;;
      resultTest=TestStatusOnly) wanted=success ;;
    esac
  done
  # A limit of the list is for its one test that is to be ended by it; for the others it would be one of a quiet machine.
  [ "$wanted" = failure ] || seconds=$limit
  # Each is a list of words.
  # shellcheck disable=SC2086
  said=$(env $variables timeout "$seconds" ${MPIEXEC:-mpiexec} -n "$ranks" "./$name" $arguments 2>&1 </dev/null)
  code=$?
  case $wanted in
    failure) [ $code = 0 ] || passes=yes ;;
    success) [ $code != 0 ] || passes=yes ;;
    *) ! printf '%s\n' "$said" | grep -qi "No Errors" || passes=yes ;;
  esac
  if [ "$passes" = yes ]; then
    passed=$((passed + 1))
    return
  fi
  failures=$((failures + 1))
  # A function of a later version is the reason of most.
  why=$(printf '%s\n' "$said" | grep -oE 'MPI_[A-Za-z_]+: Weft does not have this function yet' | head -n 1)
  [ -n "$why" ] || why="ended with $code: $(printf '%s\n' "$said" | tail -n 1 | cut -c1-160)"
  echo "$folder/$name -n $ranks$arguments: $why"
}

listed_basic() {  # `self` is a message to rank 0, of rank 0; what `adapt` and `netpipe` measure is not limited
  for name in self simple srtest wtime patterns sendrecv; do
    for ranks in 1 2; do
      case $name-$ranks in self-2 | srtest-1 | patterns-1 | sendrecv-1) ;; *) echo "$name $ranks resultTest=TestStatusOnly" ;; esac
    done
  done
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
  done <<LIST
$(if [ "$folder" = basic ]; then listed_basic; else cat testlist; fi)
LIST
  echo "$folder: $passed passed, $left_out left out"
  cd - >/dev/null || exit 2
done
[ "$failures" = 0 ]
