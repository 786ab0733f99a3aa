/* Reads a piece, skips a piece, and so on, with read and lseek, as a backup of changed blocks
 * or a reader of selected records does. */
#include "reader.h"

int main(int argc, char **argv)
{
	struct reader r = {
		.fields = "bs",
		.help = "usage: sparse [-b BLOCK] [-s SKIP] FILE\n"
			"Read BLOCK bytes (8K) of FILE, skip SKIP bytes (8K), and so on.\n",
	};
	long numbers[] = {8192, 8192};

	reader_open(&r, argc, argv, numbers);
	while (reader_add(&r, read(r.fd, r.buffer, (size_t)numbers[0])))
		if (lseek(r.fd, numbers[1], SEEK_CUR) < 0)
			break;
	return reader_end(&r);
}
