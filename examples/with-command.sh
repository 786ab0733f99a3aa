#!/bin/sh
# The command in front of one program: it sees to the library, checks the options, and then
# becomes the program. -s says at the end, on stderr, what came of it.
#
#	with-command.sh FILE
set -eu
preread -s tac "${1:?usage: with-command.sh FILE}" | head -n 3
