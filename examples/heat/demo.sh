#!/usr/bin/env bash
# What `./dev demo` shows, once Weft is built.   usage: demo.sh BUILD
set -euo pipefail
build=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

printf '$ oshrun -n 4 heat -o heat.png      (examples/heat/heat.c)\n'
"$build/bin/oshrun" -n 4 "$build/examples/heat/heat" -o heat.png
printf '\nThe result is a picture: %s/heat.png\n' "$PWD"
