# shellcheck shell=sh
# What the tests share. tests/run sets BUILD, TESTS and TEST_NAME and runs each test in a
# folder of its own; source this first.
# shellcheck disable=SC2034 # what is set here is used by the tests
set -u

lib=$BUILD/libpreread.so
cmd=$BUILD/preread
victims=$BUILD/tests/victims
here=$(pwd)
# Debian's own; another python3 may come first in PATH, and that one was not built for it.
python=/usr/bin/python3

# A library built with a sanitizer needs its runtime in front of it.
runtime=$(ldd "$lib" 2>/dev/null | awk '/lib(asan|tsan)/ { print $3; exit }')
preload=${runtime:+$runtime:}$lib
if [ -n "$runtime" ]; then
	ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS:-}
	export ASAN_OPTIONS
fi

fail() {
	echo "FAIL: $*"
	exit 1
}

skip() {
	echo "SKIP $*"
	exit 77
}

need() {
	for tool; do
		command -v "$tool" >/dev/null 2>&1 || skip "$tool is not installed"
	done
}

# Victims that count their address space or system calls cannot bear a sanitizer's runtime.
not_sanitized() {
	[ -z "$runtime" ] || skip "the sanitizer's runtime is in the way"
}

preloaded() {
	env LD_PRELOAD="$preload" "$@"
}

# same WHAT EXPECTED-FILE FILE
same() {
	cmp -s "$2" "$3" && return 0
	diff -a "$2" "$3" | head -n 20
	fail "$1 differs"
}

# Reads the log as another program would: each line is whole and of the documented form.
check_log() {
	[ -e "$1" ] || return 0
	if grep -avE '^preread/1 [0-9]+\.[0-9]{6} [0-9]+ [a-z-]+( [a-z_]+=[^ ]*)*$' "$1" |
		grep -v '^{"' | head -n 3 | grep .; then
		fail "malformed lines in the log $1"
	fi
}

# in_folder NAME COMMAND...: runs it in a new folder NAME, with stdout, stderr and status beside
in_folder() {
	folder=$1
	limit=${hang_limit:-60}
	shift
	mkdir -p "$folder"
	(cd "$folder" && exec timeout -k 2 "$limit" "$@") >"$folder.out" 2>"$folder.err" \
		</dev/null 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-
	echo $? >"$folder.status"
}

# A victim must be well alone, and the same under the library: at its defaults, and with every
# read timed and written about, which takes each of them through the slow path.
victim() {
	name=$1
	shift
	prog=$victims/$name
	[ -x "$prog" ] || fail "$prog is not built"
	(hang_limit=60 && in_folder plain "$prog" "$@")
	[ "$(cat plain.status)" = 77 ] && skip "$(sed -n 's/^SKIP //p' plain.out)"
	if [ "$(cat plain.status)" != 0 ]; then
		cat plain.out plain.err
		fail "$name $* fails without the library: status $(cat plain.status)"
	fi
	for how in default exact; do
		if [ $how = default ]; then
			in_folder default env LD_PRELOAD="$preload" "$prog" "$@"
		else
			in_folder exact env LD_PRELOAD="$preload" PREREAD_LOG="$here/log" \
				PREREAD_STATS="$here/stats" "$prog" "$@"
		fi
		case $(cat "$how.status") in
		0) ;;
		124 | 137) fail "$name $* ($how) hangs" ;;
		*) cat "$how.err" ;;
		esac
		same "$name $* ($how): status" plain.status "$how.status"
		same "$name $* ($how): output" plain.out "$how.out"
		same "$name $* ($how): stderr" plain.err "$how.err"
	done
	check_log log
	rm -rf plain default exact log stats
}

# stats_total KEY FILE: the sum over all processes in a file of statistics
stats_total() {
	sed -n "s/.*\"totals\":{[^}]*\"$1\":\([0-9][0-9]*\).*/\1/p" "$2" 2>/dev/null |
		awk '{ n += $1 } END { printf "%d\n", n }'
}

# The slow disk: what is put into $here/source appears in $slow, at the pace of a disk. Each
# mount begins with a cold cache.
slow=$here/slow
slow_needs() {
	[ -c /dev/fuse ] || skip "no /dev/fuse: no slow disk"
	if [ ! -r /dev/fuse ] || [ ! -w /dev/fuse ]; then
		skip "no access to /dev/fuse: no slow disk"
	fi
	need fusermount3
	[ -x "$BUILD/slowdisk" ] || fail "$BUILD/slowdisk is not built"
	mkdir -p "$here/source" "$slow"
	trap slow_down EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# Gone for sure, also when somebody still sits in it.
slow_down() {
	if grep -q " $slow fuse" /proc/mounts; then
		fusermount3 -u "$slow" 2>/dev/null || fusermount3 -u -z "$slow"
	fi
}

slow_up() {
	slow_down
	"$BUILD/slowdisk" --latency-us "${latency_us:-400}" --bandwidth 500 --channels 64 \
		--folder "$here/source" "$slow" || fail "the slow disk does not mount"
}

# The files that the unmodified programs read, into source/.
program_files() {
	mkdir -p source/folder
	seq 1 300000 | awk '{ print ($1 * 7919) % 300007, "a line of text", $1 }' >source/text
	seq 1 2 160000 | sort >source/sorted1
	seq 1 3 160000 | sort >source/sorted2
	seq 1 3000 >source/short
	i=0
	while [ $i -lt 120 ]; do
		head -c $((1000 + i * 317)) source/text >source/folder/file$i
		i=$((i + 1))
	done
	# The same everywhere, or listings would differ.
	find source -exec touch -d @1700000000 {} +
	tar cf source/archive.tar -C source folder
	gzip -nc source/text >source/text.gz
	sqlite3 source/db 2>/dev/null <<-END
		CREATE TABLE t(id INTEGER PRIMARY KEY, k INTEGER, text TEXT);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
		INSERT INTO t SELECT i, i * 7919 % 20011, printf('row %d %0100d', i, i) FROM n;
		CREATE INDEX t_k ON t(k);
	END
	find source -exec touch -d @1700000000 {} +
}

# Reads programs.list into $name, $command and $kind (`exact` or `any`), a line a call.
next_program() {
	while read -r name command; do
		case $name in
		'' | '#'*) continue ;;
		'!'*) kind=any name=${name#!} ;;
		*) kind=exact ;;
		esac
		return 0
	done
	return 1
}

# The first word of a program's command; $python is one as well.
program_there() {
	# shellcheck disable=SC2016 # programs.list says it so
	case $1 in
	'$python'*) [ -x "$python" ] ;;
	while* | for*) true ;;
	*) command -v "${1%% *}" >/dev/null 2>&1 ;;
	esac
}
