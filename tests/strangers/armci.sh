#!/bin/sh
# Runs the tests of ARMCI-MPI, a library that lives on MPI's windows: armci.sh SOURCES (where `make checkprogs` was run)
[ $# -eq 1 ] || { echo "usage: armci.sh SOURCES (with its Makefile)" >&2; exit 2; }
cd "$1" || exit 2
failures=0
# What is for sed and tr is for them alone.
# shellcheck disable=SC2016,SC1003
tests=$(sed -n '/^TESTS = /,/[^\\]$/p' Makefile | sed 's/^TESTS = //; s/\$(EXEEXT)//g' | tr -d '\\')
for ranks in ${RANKS:-2 4}; do
  passed=0
  for name in $tests; do
    # MPIEXEC is a list of words.
    # shellcheck disable=SC2086
    said=$(timeout "${LIMIT:-120}" ${MPIEXEC:-mpiexec} -n "$ranks" "./$name" 2>&1 </dev/null)
    code=$?
    if [ $code = 0 ]; then
      passed=$((passed + 1))
    else
      failures=$((failures + 1))
      echo "$name, $ranks ranks: ended with $code: $(printf '%s\n' "$said" | tail -n 1 | cut -c1-160)"
    fi
  done
  echo "$ranks ranks: $passed passed"
done
[ "$failures" = 0 ]
