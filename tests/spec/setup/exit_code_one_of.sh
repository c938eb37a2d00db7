#!/bin/sh
# exit_code_one_of.sh LOW HIGH command...: passes when the command's exit code is within LOW..HIGH.
low=$1
high=$2
shift 2
"$@"
code=$?
if [ "$code" -ge "$low" ] && [ "$code" -le "$high" ]; then exit 0; fi
echo "exit code $code is not one of $low..$high" >&2
exit 1
