# The budget is what the memory control group has to spare, not the machine: 16 streams in a
# small group get no window that the kernel would not have given them.
# shellcheck source=lib.sh
. "$TESTS/lib.sh"

[ "$(id -u)" = 0 ] || skip "needs root to make a control group"
slow_needs
if [ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ]; then
	group=/sys/fs/cgroup/memory/preread-test.$$
	limit=memory.limit_in_bytes
elif [ -e /sys/fs/cgroup/cgroup.subtree_control ]; then
	group=/sys/fs/cgroup/preread-test.$$
	limit=memory.max
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control 2>/dev/null
else
	skip "no memory control groups here"
fi
mkdir "$group" || skip "no control group can be made"
trap 'slow_down; rmdir "$group"' EXIT
latency_us=2000
[ -w "$group/$limit" ] || skip "no memory control groups here"
echo 16M >"$group/$limit"

head -c 67108864 /dev/urandom >source/data
slow_up
sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' sh "$group" \
	env PREREAD_STATS="$here/stats" LD_PRELOAD="$preload" \
	"$BUILD/examples/twostreams" -n 16 "$slow/data" >out || fail "status $?"
[ "$(stats_total bytes stats)" = 67108864 ] || fail "not all was seen: $(cat stats)"
[ "$(stats_total advised stats)" -lt 16777216 ] ||
	fail "advised $(stats_total advised stats) bytes for 16 streams in 16 MiB"
exit 0
