#!/bin/sh
# Runs OpenMP_VV's programs without device constructs with the compiler's library and with ours: openmp_vv.sh SOURCES FOLDER
# [PROCESSES] (SOURCES/tests, SOURCES/ompvv; FOLDER has our libgomp.so.1; oshrun is in PATH for more processes than one).
# CC, CXX and FC name other compilers than gcc's: CC=clang CXX=clang++ FC=.
# Fails where ours fails and the compiler's does not.
[ $# -eq 2 ] || [ $# -eq 3 ] || { echo "usage: openmp_vv.sh SOURCES FOLDER [PROCESSES]" >&2; exit 2; }
processes=${3:-1}
folder=$(cd "$2" && pwd) || exit 2
cd "$1" || exit 2
limit=${LIMIT:-60}
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
both=0 neither=0 worse=0 better=0 left=0
grep -rLE "target|device" tests --include='*.c' --include='*.cpp' --include='*.F90' >"$out/files"
while read -r file; do
  case $file in
    *.c) set -- "${CC:-gcc}" ;;
    *.cpp) set -- "${CXX:-g++}" ;;
    *) set -- "${FC-gfortran}" -ffree-line-length-none "-J$out" ompvv/ompvv.F90 ;;
  esac
  [ -n "$1" ] || continue
  if ! "$@" -O1 -fopenmp -w -Iompvv "$file" -o "$out/program" -lm >/dev/null 2>&1; then
    left=$((left + 1))
    continue
  fi
  OMP_NUM_THREADS=4 timeout "$limit" "$out/program" >/dev/null 2>&1
  theirs=$?
  if [ "$processes" = 1 ]; then
    LD_LIBRARY_PATH=$folder OMP_NUM_THREADS=4 timeout "$limit" "$out/program" >"$out/said" 2>&1
  else
    OMP_NUM_THREADS=4 timeout "$limit" oshrun -n "$processes" "$out/program" >"$out/said" 2>&1 </dev/null
  fi
  ours=$?
  if [ $theirs = 0 ] && [ $ours = 0 ]; then both=$((both + 1))
  elif [ $theirs = 0 ]; then
    worse=$((worse + 1))
    echo "$file: ended with $ours: $(tail -n 1 "$out/said")"
  elif [ $ours = 0 ]; then better=$((better + 1))
  else neither=$((neither + 1)); fi
done <"$out/files"
echo "$both pass with both, $better with ours only, $worse with the compiler's only, $neither with none; $left do not compile"
[ "$worse" = 0 ]
