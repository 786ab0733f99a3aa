# Long random sequences of calls: the lines of a run alone and of a run under the library.
# shellcheck source=lib.sh
. "$TESTS/lib.sh"

for seed in 1 2 3 4 5 6; do
	victim calltrace $seed 4000 1
done
for seed in 7 8 9; do
	victim calltrace $seed 1500 6
done
