/*
 * Closes descriptor 2 and gets a data file at that number. A library that still writes to
 * "stderr", because PREREAD_LOG=- asked for it, writes into somebody's data: the file must end
 * up with exactly what this program wrote. So too for a socket or a pipe in place of 2.
 */
#include "victim.h"

#define SIZE (4 * MIB)

static void read_backward(const char *name)
{
	uint8_t buf[4096];
	int fd = open(name, O_RDONLY);

	if (fd < 0)
		_exit(40);
	make_cold(fd);
	for (off_t at = SIZE - 4096; at >= 0; at -= 4096)
		if (pread(fd, buf, sizeof(buf), at) != (ssize_t)sizeof(buf))
			_exit(41);
	close(fd);
}

int main(void)
{
	static const char text[] = "all that may be in here\n";
	char buf[4096];
	int fd;

	pattern_file("data", SIZE, 1);
	CHECK(close(2) == 0);
	if (open("precious", O_RDWR | O_CREAT | O_TRUNC, 0600) != 2)
		_exit(42);
	if (write(2, text, sizeof(text) - 1) != (ssize_t)sizeof(text) - 1)
		_exit(43);
	read_backward("data");
	fd = open("precious", O_RDONLY);
	if (read(fd, buf, sizeof(buf)) != (ssize_t)sizeof(text) - 1)
		_exit(44);
	/* What is written at exit is looked at by fd2swap.sh. */
	puts("precious as written");
	return 0;
}
