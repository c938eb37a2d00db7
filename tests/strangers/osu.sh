#!/bin/sh
# Runs the OSU benchmarks, with validation where they have it: osu.sh BUILD (the folder in which they were configured)
[ $# -eq 1 ] || { echo "usage: osu.sh BUILD" >&2; exit 2; }
failures=0

run() {  # RANKS PROGRAM OPTIONS
  ranks=$1 program=$2
  shift 2
  # MPIEXEC is a list of words.
  # shellcheck disable=SC2086
  said=$(timeout "${LIMIT:-120}" ${MPIEXEC:-mpiexec} -n "$ranks" "$program" -i 20 -x 2 "$@" 2>&1 </dev/null)
  code=$?
  if [ $code != 0 ] || printf '%s\n' "$said" | grep -qi fail; then
    failures=$((failures + 1))
    echo "$(basename "$program"), $ranks ranks: ended with $code"
    printf '%s\n' "$said" | tail -n 4
  else
    echo "$(basename "$program"), $ranks ranks: passed"
  fi
}

cd "$1/c/mpi" || exit 2
for name in latency bw bibw; do
  run 2 "pt2pt/standard/osu_$name" -c -m 1:1048576
  run 2 "pt2pt/persistent/osu_${name}_persistent" -c -m 1:65536
done
run 4 pt2pt/standard/osu_mbw_mr -c -m 1:65536
run 4 pt2pt/standard/osu_multi_lat -c -m 1:65536
run 2 pt2pt/standard/osu_latency_mt -m 1:65536 -t 2:2
for ranks in ${RANKS:-2 4 7}; do
  for name in allgather allgatherv allreduce alltoall alltoallv alltoallw bcast gather gatherv reduce reduce_scatter \
    reduce_scatter_block scatter scatterv; do
    run "$ranks" "collective/blocking/osu_$name" -c -m 4:65536
  done
  run "$ranks" collective/blocking/osu_barrier
done
# These have no validation. Both-ways knows two ways of synchronisation, and in dynamic windows two ranks only know addresses.
for window in create allocate dynamic; do
  for way in pscw fence lock flush flush_local lock_all; do
    for name in put_latency get_latency put_bw get_bw acc_latency get_acc_latency fop_latency cas_latency get_mbw; do
      run 2 "one-sided/osu_$name" -w $window -s $way -m 1:65536
    done
    case $way in pscw | fence) run 2 one-sided/osu_put_bibw -w $window -s $way -m 1:65536 ;; esac
    case $window-$way in *dynamic* | *pscw | *fence) ;; *) run 4 one-sided/osu_get_mbw -w $window -s $way -m 1:65536 ;; esac
  done
done
[ "$failures" = 0 ]
