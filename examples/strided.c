/* Reads a small piece at equal distances, as one column of a table with fixed rows or one trace
 * of a measurement. To read all between the pieces would move 16 times the bytes; to advise the
 * pieces alone moves none too many. */
#include "reader.h"

int main(int argc, char **argv)
{
	struct reader r = {
		.fields = "bs",
		.help = "usage: strided [-b BLOCK] [-s STRIDE] FILE\n"
			"Read BLOCK bytes (4K) at every STRIDE bytes (64K) of FILE.\n",
	};
	long numbers[] = {4096, 65536};

	reader_open(&r, argc, argv, numbers);
	for (off_t at = 0; at < r.size; at += numbers[1])
		reader_add(&r, pread(r.fd, r.buffer, (size_t)numbers[0], at));
	return reader_end(&r);
}
