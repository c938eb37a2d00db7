#!/usr/bin/env bash
# What `./dev bench` runs, once all is built.   usage: run.sh BUILD [arguments of first.py]
set -euo pipefail
exec python3 -B "$(dirname "${BASH_SOURCE[0]}")/first.py" "$@"
