/*
 * A program under a limit of address space that it fills to nine tenths, after its first cold
 * read. What it could have alone it must get with the library, whose tables are not its own.
 */
#include "victim.h"
#include <sys/mman.h>
#include <sys/resource.h>

#define SIZE  (2 * MIB)
#define LIMIT (64UL * MIB)
#define TAKEN (48UL * MIB)

static void read_cold(void)
{
	uint8_t buf[4096];
	int fd = open("data", O_RDONLY);

	CHECK(fd >= 0);
	make_cold(fd);
	for (off_t at = SIZE - 4096; at >= 0; at -= 4096)
		CHECK(pread(fd, buf, sizeof(buf), at) == (ssize_t)sizeof(buf));
	CHECK(close(fd) == 0);
}

int main(void)
{
	struct rlimit limit = {LIMIT, LIMIT};

	pattern_file("data", SIZE, 1);
	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
	read_cold();
	CHECK(mmap(NULL, TAKEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	      MAP_FAILED);
	puts("got its memory");
	return 0;
}
