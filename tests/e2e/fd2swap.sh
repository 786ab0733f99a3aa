# Logs to stderr were asked for, but descriptor 2 has become the program's data file.
# shellcheck source=lib.sh
. "$TESTS/lib.sh"

victim fd2swap
for to in - /dev/stderr; do
	for format in text json; do
		rm -rf data precious
		(
			PREREAD_LOG=$to PREREAD_STATS=$to PREREAD_LOG_FORMAT=$format
			export PREREAD_LOG PREREAD_STATS PREREAD_LOG_FORMAT
			preloaded timeout 60 "$victims/fd2swap" >out 2>err
		) || fail "LOG=$to: status $?"
		echo "all that may be in here" >wanted
		same "LOG=$to, format $format: the file at descriptor 2" wanted precious
	done
done
