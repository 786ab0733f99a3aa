# The door closes before the first read, while a stream is young, and when it runs.
# shellcheck source=lib.sh
. "$TESTS/lib.sh"

not_sanitized
for blocks in 0 1 3 8 64 300; do
	victim seccompstrict $blocks
done
