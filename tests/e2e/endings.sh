# The statistics are right however a process ends: each of these read 409600 bytes of the file.
# shellcheck source=lib.sh
. "$TESTS/lib.sh"

head -c 409600 /dev/urandom >data
wrong=
for way in exit atexit _exit exit_group quick_exit exec abort term kill pthread_exit; do
	rm -f stats
	LD_PRELOAD='' "$victims/endings" $way data >plain 2>&1
	wanted=$?
	PREREAD_STATS=$here/stats LD_PRELOAD=$preload "$victims/endings" $way data >out 2>&1
	status=$?
	[ $status = $wanted ] || wrong="$wrong [$way: status $status, not $wanted]"
	same "$way: output" plain out
	bytes=$(stats_total bytes stats)
	[ "$bytes" = 409600 ] || wrong="$wrong [$way: $bytes bytes of 409600]"
done
[ -z "$wrong" ] || fail "$wrong"
