# CPython's own tests of files, processes, signals and threads: the same result of each test
# with and without the library. What is worse under it is tried again three times each way
# before it counts, as some of these tests depend on the machine's load.
# shellcheck source=lib.sh
. "$TESTS/lib.sh"

modules="test_io test_file test_os test_mmap test_subprocess test_signal test_threading"
"$python" -c 'import test.test_io' 2>/dev/null ||
	skip "no tests for $python (Debian: libpython3.11-testsuite)"

# run NAME [-m ID...]: results into NAME.txt, a line a test
run() {
	out=$1
	shift
	mkdir -p "$out"
	(
		cd "$out" || exit 1
		# shellcheck disable=SC2086 # a list
		"$python" -m test -j2 --timeout 200 --junit-xml "$here/$out.xml" "$@" $modules \
			>"$here/$out.log" 2>&1
	)
	[ -s "$out.xml" ] || fail "$out: no results: $(tail -n 5 "$out.log")"
	"$python" "$TESTS/e2e/junit.py" "$out.xml" >"$out.txt" || fail "$out: no results"
}

under() {
	name=$1
	shift
	(
		LD_PRELOAD=$preload
		export LD_PRELOAD
		run "$name" "$@"
	) || exit 1
}

run alone
under library
echo "$(wc -l <alone.txt) tests alone, $(wc -l <library.txt) under the library"
diff alone.txt library.txt >changed && exit 0
cat changed
sed -n 's/^[<>] [a-z]* //p' changed | sort -u >suspects
[ "$(wc -l <suspects)" -le 30 ] || fail "$(wc -l <suspects) tests have another result"
set --
while read -r id; do
	set -- "$@" -m "*.${id##*.}"
done <suspects
for i in 1 2 3; do
	run "alone$i" "$@"
	under "library$i" "$@"
done
worse=
while read -r id; do
	good=$(grep -lx "passed $id" alone.txt alone[123].txt | wc -l)
	bad=$(grep -Lx "passed $id" library.txt library[123].txt | wc -l)
	echo "$id: passed alone $good of 4, not passed under the library $bad of 4"
	# Skipped or failing alone, too, it says nothing; flaky, it does not come wrong each time.
	if [ "$good" -gt 0 ] && [ "$bad" -gt 2 ]; then
		worse="$worse $id"
	fi
done <suspects
[ -z "$worse" ] || fail "worse under the library:$worse"
