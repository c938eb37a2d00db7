#!/bin/sh
# on_last.sh NAME=VALUE program argument...: sets the variable on the last PE only, as a start script may.
if [ "$WEFT_PE" -eq $((WEFT_NPES - 1)) ]; then export "${1?}"; fi
shift
exec "$@"
