/*
 * setuid FILE: reads a file's blocks from the last to the first and prints their hash. The
 * plain reader for the tests of setuid programs, which ask only whether the library woke up:
 * what it needs to see is here, a cold file and a pattern.
 */
#include "victim.h"

int main(int argc, char **argv)
{
	static uint8_t buf[4096];
	uint32_t h = 2166136261u;
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;

	if (fd < 0)
		victim_skip("usage: setuid FILE");
	make_cold(fd);
	for (off_t at = size / 4096 * 4096 - 4096; at >= 0; at -= 4096) {
		CHECK(pread(fd, buf, sizeof(buf), at) == (ssize_t)sizeof(buf));
		for (size_t i = 0; i < sizeof(buf); i += 64)
			h = (h ^ buf[i]) * 16777619u;
	}
	printf("%08x, euid %s\n", h, geteuid() == getuid() ? "as uid" : "another");
	return 0;
}
