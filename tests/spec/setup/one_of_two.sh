#!/bin/sh
# one_of_two.sh A B: becomes program A on even PEs and B on odd ones, as a job of two programs is started.
# shellcheck source=tests/support/numbers.sh
. "$(dirname "$0")/../../support/numbers.sh"
if [ $((${pe:?} % 2)) -eq 0 ]; then exec "$1"; else exec "$2"; fi
