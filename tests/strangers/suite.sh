#!/bin/sh
# Runs Open MPI's mpi-test-suite: suite.sh PROGRAM
# The program is built with --enable-mpi2-threads, and without the three registrations of Cartesian and graph
# communicators in tst_comms_register(), which call functions that Weft does not have yet.
# Left out are what the suite itself has wrong: two datatypes whose entries are mixed up from MPI 3.0 on, a list of
# versions that ends with 3.1, and four tests of threads that wait for each other on different communicators or use none.
[ $# -eq 1 ] || { echo "usage: suite.sh PROGRAM" >&2; exit 2; }
types='all,^MPI_TYPE_MIX_LB_UB,^Dup MPI_CHAR'
failures=0
for ranks in ${RANKS:-2 4 7}; do
  for tests in "Environment,^Get_version" P2P Collective "Threaded ring"; do
    communicators=all threads=1
    if [ "$tests" = "Threaded ring" ]; then communicators=MPI_COMM_WORLD threads=3; fi
    said=$(timeout "${LIMIT:-300}" mpiexec -n "$ranks" "$1" -t "$tests" -d "$types" -c "$communicators" -j $threads \
      -n 1000 -r summary 2>&1 </dev/null)
    code=$?
    if [ $code = 0 ]; then
      echo "$tests, $ranks ranks: passed"
    else
      failures=$((failures + 1))
      echo "$tests, $ranks ranks: ended with $code"
      printf '%s\n' "$said" | tail -n 5
    fi
  done
done
[ "$failures" = 0 ]
