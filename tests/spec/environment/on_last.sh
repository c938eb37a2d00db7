#!/bin/sh
# on_last.sh NAME=VALUE program argument...: sets the variable on the last PE only, as a start script may.
# shellcheck source=tests/support/numbers.sh
. "$(dirname "$0")/../../support/numbers.sh"
if [ "${pe:?}" -eq $((n_pes - 1)) ]; then export "${1?}"; fi
shift
exec "$@"
