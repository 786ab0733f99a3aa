/* Reads a file from its end to its beginning, a block at a time, as tac and readers of logs do
 * that want the newest first. The kernel sees random reads in it: each waits for the disk. */
#include "reader.h"

int main(int argc, char **argv)
{
	struct reader r = {
		.fields = "b",
		.help = "usage: backward [-b BLOCK] FILE\n"
			"Read FILE backwards, BLOCK bytes (4K) at a time.\n",
	};
	long numbers[] = {4096};

	reader_open(&r, argc, argv, numbers);
	for (off_t end = r.size, step; end > 0; end -= step) {
		step = end < numbers[0] ? end : numbers[0];
		reader_add(&r, pread(r.fd, r.buffer, (size_t)step, end - step));
	}
	return reader_end(&r);
}
