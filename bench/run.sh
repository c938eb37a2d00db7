#!/usr/bin/env bash
# What `./dev bench` runs, once all is built.   usage: run.sh BUILD [arguments of bench.py]
#                                                 run.sh BUILD rooms [options of Google Benchmark]
set -euo pipefail
if [[ ${2:-} == rooms ]]; then
  rooms=$1/bench/rooms
  [[ -x $rooms ]] || { echo "bench: $rooms was not built; it needs Google Benchmark (libbenchmark-dev)" >&2 && exit 1; }
  exec "$rooms" "${@:3}"
fi
# The system's Python has the system's plotting library; another one that comes first in PATH may not.
python=python3
if ! "$python" -c 'import matplotlib' 2>/dev/null && /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
  python=/usr/bin/python3
fi
exec "$python" -B "$(dirname "${BASH_SOURCE[0]}")/bench.py" "$@"
