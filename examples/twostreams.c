/* Reads several parts of a file at once, in turn, each from its beginning to its end, all
 * through one descriptor: a merge, or a server with several clients on one file. One
 * descriptor has one position, so whoever looks at that alone sees nothing but jumps. */
#include "reader.h"

int main(int argc, char **argv)
{
	struct reader r = {
		.fields = "bn",
		.help = "usage: twostreams [-b BLOCK] [-n STREAMS] FILE\n"
			"Read the STREAMS (2) equal parts of FILE in turn, BLOCK bytes (4K) "
			"each.\n",
	};
	long numbers[] = {4096, 2};
	off_t part;

	reader_open(&r, argc, argv, numbers);
	part = r.size / numbers[1] / numbers[0] * numbers[0];
	for (off_t at = 0; at < part; at += numbers[0])
		for (long stream = 0; stream < numbers[1]; stream++)
			reader_add(&r, pread(r.fd, r.buffer, (size_t)numbers[0],
					     stream * part + at));
	return reader_end(&r);
}
