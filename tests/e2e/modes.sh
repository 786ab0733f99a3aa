# Each switch does what it says, by strace's account: `advice` counts the calls that fetch.
# shellcheck source=lib.sh
. "$TESTS/lib.sh"

slow_needs
need strace
mkdir source/sub
head -c 4194304 /dev/urandom >source/sub/data
file=$slow/sub/data
slow_up
"$victims/patterns" backward "$file" >wanted || fail "the reader alone"

# run [NAME=VALUE...]: a backward reader, traced
run() {
	slow_up
	rm -f log stats trace
	env "$@" strace -f -y -o trace -e trace=fadvise64,readahead,madvise \
		-E LD_PRELOAD="$preload" "$victims/patterns" backward "$file" >out 2>err ||
		fail "$*: status $?"
	same "$*: output" wanted out
	[ ! -s err ] || fail "$*: says something unasked: $(cat err)"
}
advice() {
	grep -cE "(fadvise64|readahead)\([0-9]+<$file>.*(WILLNEED|readahead)" trace
}
helped() {
	run "$@"
	[ "$(advice)" -gt 0 ] || wrong="$wrong [$*: no advice]"
}
unhelped() {
	run "$@"
	[ "$(advice)" = 0 ] || wrong="$wrong [$*: $(advice) calls of advice]"
}
wrong=

helped PREREAD_MODE=on
helped PREREAD_MODE=
unhelped PREREAD_MODE=observe PREREAD_LOG="$here/log"
grep -q ' stream .*behaviour=backward' log || wrong="$wrong [observe logs no stream]"
unhelped PREREAD_MODE=off PREREAD_LOG="$here/log" PREREAD_STATS="$here/stats"
if [ -e log ] || [ -e stats ]; then wrong="$wrong [MODE=off writes]"; fi
unhelped PREREAD_BUDGET=0
unhelped PREREAD_BUDGET=off
unhelped PREREAD_WINDOW_MAX=0
unhelped PREREAD_WINDOW_MAX=off
helped PREREAD_WINDOW_MIN=64K PREREAD_WINDOW_MAX=1M
helped PREREAD_BUDGET=8M
unhelped PREREAD_PATTERNS=-backward
unhelped PREREAD_PATTERNS=strided,consecutive
unhelped PREREAD_PATTERNS=off
helped PREREAD_PATTERNS=backward
helped PREREAD_PATTERNS=-random,-strided
unhelped PREREAD_INCLUDE='/nowhere/*'
helped PREREAD_INCLUDE="/nowhere/*:$slow/*"
unhelped PREREAD_EXCLUDE='*/data'
helped PREREAD_EXCLUDE='*/dat'
unhelped PREREAD_INCLUDE="$slow/*" PREREAD_EXCLUDE="*/sub/*"
# A bad value means the default, a line in the log, and no word on stderr.
helped PREREAD_MODE=banana PREREAD_LOG="$here/log"
grep -q banana log || wrong="$wrong [MODE=banana is not in the log]"
helped PREREAD_WINDOW_MIN=12Q PREREAD_BUDGET=-5 PREREAD_PATTERNS=nonsense,backward
helped PREREAD_LOG=/nowhere/at/all PREREAD_STATS=/nowhere/at/all

# Nothing at all: from the opening of its file on, the program's calls are its own.
calls() {
	# The process numbers go, and addresses, which differ from run to run.
	sed -n '/sub\/data"/,$p' trace |
		sed -E 's/^[0-9]+ +//; s/0x[0-9a-f]+/ADDRESS/g; s/getrandom\("[^"]*"/getrandom(/'
}
slow_up
strace -f -o trace "$victims/patterns" backward "$file" >out || fail "the reader, traced"
calls >calls.plain
slow_up
strace -f -o trace -E LD_PRELOAD="$preload" -E PREREAD_MODE=off "$victims/patterns" backward \
	"$file" >out || fail "MODE=off, traced"
calls >calls.off
same "MODE=off: the program's system calls" calls.plain calls.off

# stdio: seen, and not seen. In the C locale md5sum reads nothing but its file.
for how in auto off; do
	slow_up
	rm -f stats
	PREREAD_STDIO=$how PREREAD_STATS=$here/stats LC_ALL=C LD_PRELOAD=$preload \
		md5sum "$file" >out || fail "md5sum, STDIO=$how"
	echo "STDIO=$how: $(stats_total bytes stats) bytes"
	case $how:$(stats_total bytes stats) in
	auto:4194304 | off:0) ;;
	*) wrong="$wrong [STDIO=$how: $(stats_total bytes stats) bytes seen]" ;;
	esac
done
[ -z "$wrong" ] || fail "$wrong"
