#!/bin/sh
# The command in front of one program: it sees to the library, checks the options, and then
# becomes the program. -s says at the end, on stderr, what came of it.
#
#	with-command.sh FILE
set -eu
[ $# = 1 ] || { echo "usage: with-command.sh FILE" >&2; exit 2; }
# All is read: had head closed the pipe, the signal would have ended tac without its line.
preread -s tac "$1" | sed -n 1,3p
