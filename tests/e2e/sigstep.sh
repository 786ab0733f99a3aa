# Every instruction of the library's first look at a file is a signal here: that takes its time.
# shellcheck source=lib.sh
. "$TESTS/lib.sh"

hang_limit=140
victim sigstep
