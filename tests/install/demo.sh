#!/usr/bin/env bash
# The first command of the README, as a newcomer runs it: a release build without tests, then the demo.
# usage: demo.sh CXX-COMPILER C-COMPILER
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
CXX=$1 CC=$2 cmake -G Ninja -S "$top" -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O2 \
  -DCMAKE_CXX_FLAGS_RELEASE=-O2 -DWEFT_TESTS=OFF -DWEFT_BENCH=OFF >"$build/log"
cmake --build "$build" >"$build/log" 2>&1 || { tail -n 40 "$build/log"; exit 1; }
"$top/examples/heat/demo.sh" "$build"
