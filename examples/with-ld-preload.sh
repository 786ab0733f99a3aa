#!/bin/sh
# The library alone, for a whole session or script: every program started from here on reads
# ahead. What was preloaded before stays, behind it. Options are variables.
#
#	with-ld-preload.sh COMMAND [ARGUMENT...]
set -eu
[ $# -gt 0 ] || { echo "usage: with-ld-preload.sh COMMAND [ARGUMENT...]" >&2; exit 2; }
LD_PRELOAD=libpreread.so${LD_PRELOAD:+:$LD_PRELOAD}
PREREAD_EXCLUDE="/proc/*:/sys/*"
export LD_PRELOAD PREREAD_EXCLUDE
exec "$@"
