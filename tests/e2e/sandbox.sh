# In a sandbox that was there before the program, the command tries the library's calls in a
# child; the library alone stays inert, since a filter may kill for any call.
# shellcheck source=lib.sh
. "$TESTS/lib.sh"

not_sanitized
head -c 1000000 /dev/urandom >data

"$victims/sandbox" allow md5sum data >plain
[ $? = 77 ] && skip "no seccomp filters here"
"$victims/sandbox" allow "$cmd" --stats "$here/allowed" md5sum data >out 2>err || fail "allow: status"
same "allow: output" plain out
[ -s err ] && fail "allow: said $(cat err)"
[ "$(stats_total bytes allowed)" -ge 1000000 ] || fail "allow: not seen"

"$victims/sandbox" kill "$cmd" --stats "$here/killed" md5sum data >out 2>err || fail "kill: status"
same "kill: output" plain out
grep -q 'seccomp filter forbids' err || fail "kill: no message"
[ -s killed ] && fail "kill: it was not left alone"

PREREAD_STATS=$here/alone LD_PRELOAD=$preload "$victims/sandbox" kill \
	md5sum data >out 2>err || fail "alone: status"
same "alone: output" plain out
grep -q '"program":"md5sum"' alone && fail "alone: the library was not inert"
exit 0
