# Unmodified programs on the slow disk: the same output and status alone, under the library and
# under the command, byte for byte.
# shellcheck source=lib.sh
. "$TESTS/lib.sh"

slow_needs
program_files
d=$slow
export d python

# run NAME HOW...: cold, in a folder of its own
run() {
	slow_up
	rm -rf "$1"
	in_folder "$@"
	case $(cat "$1.status") in
	124 | 137) fail "$name ($1) hangs: $command" ;;
	esac
}

tried=
while next_program; do
	program_there "$command" || {
		echo "not here: $name"
		continue
	}
	tried="$tried $name"
	run alone sh -c "$command"
	run library env LD_PRELOAD="$preload" sh -c "$command"
	run command "$cmd" -- sh -c "$command"
	for how in library command; do
		# dd tells its time and speed.
		for part in out err; do
			sed 's/copied, .*//' alone.$part >a
			sed 's/copied, .*//' $how.$part >b
			same "$name ($how): $part" a b
		done
		same "$name ($how): status" alone.status $how.status
	done
done <"$TESTS/e2e/programs.list"
for name in tac dd cat md5sum sort sqlite3 tar-create python3 perl gzip; do
	case " $tried " in
	*" $name "*) ;;
	*) skip "not installed: $name (the others are the same:$tried)" ;;
	esac
done
