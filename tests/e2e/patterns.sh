# What the library makes of each way of reading: the event in the log, and the advice. Random
# reads must get none. Also the log's form, which other programs rely on.
# shellcheck source=lib.sh
. "$TESTS/lib.sh"

slow_needs
head -c 16777216 /dev/urandom >source/data
truncate -s 512M source/huge
file=$slow/data
wrong=

for kind in consecutive backward strided sparse interleaved reordered; do
	slow_up
	"$victims/patterns" $kind "$file" >plain || fail "$kind alone"
	for format in text json; do
		slow_up
		rm -f log stats
		PREREAD_LOG=$here/log PREREAD_STATS=$here/stats PREREAD_LOG_FORMAT=$format \
			LD_PRELOAD=$preload "$victims/patterns" $kind "$file" >out || fail $kind
		same "$kind: output" plain out
		[ -s log ] || fail "$kind, $format: no log"
		echo "== $kind $format"
		cat log
		if [ $format = text ]; then
			check_log log
			grep -aE '^preread/1 [0-9.]+ [0-9]+ (stream|change) ' log |
				grep -a "file=$file " >events
			grep -aq "behaviour=$kind\( \|\$\)" events || wrong="$wrong $kind:text"
		else
			"$python" "$TESTS/e2e/jsonlog.py" log $kind "$file" ||
				wrong="$wrong $kind:json"
		fi
		[ "$(stats_total advised stats)" -gt 0 ] || wrong="$wrong $kind:not-advised"
	done
done

slow_up
"$victims/patterns" random "$slow/huge" >plain || fail "random alone"
slow_up
rm -f log stats
PREREAD_LOG=$here/log PREREAD_STATS=$here/stats LD_PRELOAD=$preload \
	"$victims/patterns" random "$slow/huge" >out || fail "random"
same "random: output" plain out
echo "== random"
cat log stats
[ -s stats ] || fail "random: no statistics"
[ "$(stats_total advised stats)" = 0 ] || wrong="$wrong random:advised"
grep -a ' stream ' log | grep -av behaviour=random | grep -a . && wrong="$wrong random:stream"
[ -z "$wrong" ] || fail "not as documented:$wrong"
