# shellcheck source=lib.sh
. "$TESTS/lib.sh"

not_sanitized
victim smallstack
