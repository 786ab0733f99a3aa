#!/bin/sh
# What a program does to its files, without any change to how it runs: in the mode `observe`
# streams are detected and logged, but nothing is advised.
#
#	with-log.sh COMMAND [ARGUMENT...]
set -eu
[ $# -gt 0 ] || { echo "usage: with-log.sh COMMAND [ARGUMENT...]" >&2; exit 2; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
preread --mode observe --log "$log" -- "$@" || status=$?
awk '$4 == "stream"' "$log" >&2
exit "$status"
