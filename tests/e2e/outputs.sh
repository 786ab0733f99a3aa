# Where log and statistics cannot be written, the program neither dies nor waits for it.
# shellcheck source=lib.sh
. "$TESTS/lib.sh"

not_sanitized
head -c 3000000 /dev/urandom >data
md5sum data >plain

"$python" "$TESTS/e2e/outputs.py" "$preload" md5sum data || fail "standard error"

(
	ulimit -f 1
	PREREAD_LOG=$here/log PREREAD_STATS=$here/stats LD_PRELOAD=$preload md5sum data
) >out || fail "beyond the limit of file sizes: status $?"
same "beyond the limit of file sizes: output" plain out

mkfifo fifo
PREREAD_LOG=$here/fifo LD_PRELOAD=$preload timeout 20 md5sum data >out || fail "fifo: status $?"
same "fifo: output" plain out
