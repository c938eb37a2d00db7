#!/usr/bin/env bash
# What `./dev bench` runs, once all is built.   usage: run.sh BUILD [arguments of bench.py]
set -euo pipefail
# The system's Python has the system's plotting library; another one that comes first in PATH may not.
python=python3
if ! "$python" -c 'import matplotlib' 2>/dev/null && /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
  python=/usr/bin/python3
fi
exec "$python" -B "$(dirname "${BASH_SOURCE[0]}")/bench.py" "$@"
