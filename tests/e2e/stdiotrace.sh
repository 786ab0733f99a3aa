# As calltrace, for FILEs; and without the hook into stdio.
# shellcheck source=lib.sh
. "$TESTS/lib.sh"

for seed in 1 2 3 4 5 6; do
	victim stdiotrace $seed 5000
done
export PREREAD_STDIO=off
for seed in 7 8; do
	victim stdiotrace $seed 5000
done
