#!/bin/sh
# one_of_two.sh A B: becomes program A on even PEs and B on odd ones, as a job of two programs is started.
if [ $((WEFT_PE % 2)) -eq 0 ]; then exec "$1"; else exec "$2"; fi
