# Can the victims fail? Each is run under a library that is broken on purpose, in a way that it
# is there to notice: see victims/broken/broken.c. A line is a defect and its victims.
# shellcheck source=lib.sh
. "$TESTS/lib.sh"

cc=${CC:-cc}
# shellcheck disable=SC2086 # CC may carry options
command -v ${cc%% *} >/dev/null 2>&1 || skip "no C compiler"

preload=$here/broken.so
hang_limit=4
blind=

while read -r defect names; do
	# shellcheck disable=SC2086
	$cc -O1 -U_FORTIFY_SOURCE -shared -fPIC -DBROKEN="\"$defect\"" -o broken.so \
		"$TESTS/victims/broken/broken.c" || fail "the broken library does not compile"
	for name in $names; do
		mkdir -p "$defect.$name"
		(cd "$defect.$name" && here=$(pwd) && victim "$name") \
			>output 2>&1
		status=$?
		if [ $status = 1 ] && grep -q '^FAIL: ' output && ! grep -q 'without the lib' output; then
			echo "$name notices $defect: $(grep -m 1 '^FAIL: ' output)"
		else
			cat output
			blind="$blind $name:$defect"
		fi
	done
done <<END
lock sigread sigstep sigjump forkstorm
lock-order exhaust
bare-call cancel
errno sigread sigstep calltrace
moves-position sigread calltrace
keeps-fd closerange
opens-file locks
advises-blindly seccompstrict seccompfilter
asks-position seccompstrict seccompfilter
resolves-late earlyctor
drops-check fortify
large-stack smallstack
writes-stderr truncwhile
needs-memory lowmem
small-table manyfds
trusts-table vforkstorm
trusts-size truncwhile
reads-more special
flushes-stdio stdiotrace
END
[ -z "$blind" ] || fail "these notice nothing:$blind"
