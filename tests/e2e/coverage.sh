# Does the library see all that is read? For unmodified programs, the bytes that strace saw
# returned by the read class on regular files are those of PREREAD_STATS, exactly.
# shellcheck source=lib.sh
. "$TESTS/lib.sh"

slow_needs
need strace
latency_us=50
program_files
d=$slow
export d python

# Bytes read from regular files. The loader reads libraries by itself, where nobody can see it.
# With threads or children a call may come in two lines, and only the first names the file.
strace_bytes() {
	awk '
		function regular() {
			return /^[0-9]+ +[a-z0-9]+\([0-9]+<\// && !/<\/(proc|sys|dev)\// &&
				!/<[^>]*\.so[.0-9]*>/
		}
		/<unfinished/ { open[$1] = regular(); next }
		/ resumed>/ ? open[$1] : regular() {
			if (sub(/.*\) += /, "") && $1 ~ /^[0-9]+$/)
				n += $1
		}
		END { printf "%d\n", n }' "$1"
}

wrong=
while next_program; do
	if [ "$kind" != exact ] || ! program_there "$command"; then continue; fi
	slow_up
	rm -f stats trace
	# Not --seccomp-bpf: the library goes quiet under a filter.
	strace -f -y -o trace -e trace=read,pread64,readv,preadv,preadv2 -E LD_PRELOAD="$preload" \
		-E PREREAD_STATS="$here/stats" sh -c "$command" >out 2>err
	status=$?
	by_strace=$(strace_bytes trace)
	seen=$(stats_total bytes stats)
	echo "$name: status $status, strace $by_strace bytes, preread $seen"
	[ "$by_strace" -gt 0 ] || wrong="$wrong $name:strace-sees-nothing"
	[ "$by_strace" = "$seen" ] || wrong="$wrong $name:$seen/$by_strace"
done <"$TESTS/e2e/programs.list"
[ -z "$wrong" ] || fail "seen/read differ:$wrong"
