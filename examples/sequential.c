/* Reads a file from its beginning to its end, a block at a time: the one pattern that the
 * kernel reads ahead by itself, though on a distant disk not far enough. */
#include "reader.h"

int main(int argc, char **argv)
{
	struct reader r = {
		.fields = "b",
		.help = "usage: sequential [-b BLOCK] FILE\n"
			"Read FILE forwards, BLOCK bytes (4K) at a time.\n",
	};
	long numbers[] = {4096};

	reader_open(&r, argc, argv, numbers);
	while (reader_add(&r, read(r.fd, r.buffer, (size_t)numbers[0])))
		;
	return reader_end(&r);
}
