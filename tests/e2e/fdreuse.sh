# Where does advice go after a descriptor's number came back as something else? The small
# file is 64 KiB, so advice past that on it was meant for the file before. A pipe, a socket
# or a directory must get none at all.
# shellcheck source=lib.sh
. "$TESTS/lib.sh"

victim fdreuse
need strace
mkdir traced
(cd traced && strace -y -o ../trace -e trace=fadvise64,readahead -E LD_PRELOAD="$preload" \
	"$victims/fdreuse" >../out 2>../err) || {
	cat err
	fail "fails under strace and the library"
}
# fadvise64(3</tmp/x/small>, OFFSET, LENGTH, POSIX_FADV_WILLNEED) = 0; the victim's own calls
# say DONTNEED. `small` is touched first at its end, as the victim does.
awk -F'[<>(), ]+' '
	/DONTNEED/ { next }
	!/^(fadvise64|readahead)\(/ { next }
	$3 ~ /\/big$/ { big++; next }
	$3 ~ /\/small$/ && $4 < 65536 { next }
	{ print "misplaced: " $0; bad++ }
	END { print big + 0 " calls for the big file"; exit bad > 0 }
' trace || fail "advice landed on the wrong file"
