/*
 * A program that locks all of its memory, also what is to come. What the library maps for
 * itself must be neither filled nor locked: that would take ten milliseconds of one read.
 */
#include "victim.h"
#include <sys/mman.h>
#include <sys/resource.h>

#define SIZE  (2 * MIB)
#define SPARE (4 * MIB)

static long locked_kib(void)
{
	char text[8192] = "", *at;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY);

	CHECK(fd >= 0 && syscall(SYS_read, fd, text, sizeof(text) - 1) > 0);
	syscall(SYS_close, fd);
	at = strstr(text, "VmLck:");
	CHECK(at);
	return atol(at + 6);
}

int main(void)
{
	uint8_t buf[4096];
	long before;
	int fd;

	pattern_file("data", SIZE, 1);
	fd = open("data", O_RDONLY);
	CHECK(fd >= 0);
	if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
		victim_skip("memory cannot be locked");
	before = locked_kib();
	make_cold(fd);
	for (off_t at = SIZE - 4096; at >= 0; at -= 4096)
		CHECK(pread(fd, buf, sizeof(buf), at) == (ssize_t)sizeof(buf));
	CHECK(locked_kib() - before < SPARE / KIB);
	puts("locked no more than its own");
	return 0;
}
