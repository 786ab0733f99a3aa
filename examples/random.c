/* Reads blocks from all over a file in no order. Nothing can be foretold here; what is shown is
 * that nothing is lost either. The same seed gives the same reads. */
#include "reader.h"

static uint64_t next(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return *state = x;
}

int main(int argc, char **argv)
{
	struct reader r = {
		.fields = "bnr",
		.help = "usage: random [-b BLOCK] [-n COUNT] [-r SEED] FILE\n"
			"Read COUNT (1000) blocks of BLOCK bytes (4K) from all over FILE.\n",
	};
	long numbers[] = {4096, 1000, 1};
	uint64_t state, blocks;

	reader_open(&r, argc, argv, numbers);
	state = (uint64_t)numbers[2] * 0x9E3779B97F4A7C15u;
	blocks = (uint64_t)(r.size / numbers[0]);
	for (long i = 0; blocks && i < numbers[1]; i++)
		reader_add(&r, pread(r.fd, r.buffer, (size_t)numbers[0],
				     (off_t)(next(&state) % blocks) * numbers[0]));
	return reader_end(&r);
}
