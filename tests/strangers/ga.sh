#!/bin/sh
# Runs programs of Global Arrays on its port to MPI's windows: ga.sh BUILD (where `make -k checkprogs` was run)
[ $# -eq 1 ] || { echo "usage: ga.sh BUILD (with its programs in global/testing)" >&2; exit 2; }
cd "$1" || exit 2
failures=0
programs="comm_init elempatch ga-mpi gemmtest getmem lock matrixc mtest nbtestc ntestc packc patch_enumc print read_only
  scan_addc scan_copyc simple_groups_commc testabstract_ops testc testmult testmultrect threadsafec unpackc"
for ranks in ${RANKS:-2 4}; do
  passed=0
  for name in $programs; do
    # MPIEXEC is a list of words.
    # shellcheck disable=SC2086
    said=$(timeout "${LIMIT:-120}" ${MPIEXEC:-mpiexec} -n "$ranks" "global/testing/$name.x" 2>&1 </dev/null)
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
