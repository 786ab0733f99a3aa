/*
 * In SECCOMP_MODE_STRICT only read, write, exit and sigreturn live. A library that asks for
 * the position, the time or an advice after it gets the program killed.
 */
#include "victim.h"
#include <sys/prctl.h>
#include <linux/seccomp.h>

#define SIZE (2 * MIB)

static uint8_t buf[4096];

/* exit_group is not allowed, so not even _exit is. */
static void leave(int status)
{
	syscall(SYS_exit, status);
}

static void read_some(int fd, uint32_t seed, int blocks, off_t *at)
{
	for (int i = 0; i < blocks; i++, *at += (off_t)sizeof(buf)) {
		if (read(fd, buf, sizeof(buf)) != (ssize_t)sizeof(buf))
			leave(3);
		if (!pattern_ok(buf, sizeof(buf), (uint64_t)*at, seed))
			leave(4);
	}
}

int main(int argc, char **argv)
{
	off_t at[2] = {0, 0};
	int warm_up = argc > 1 ? atoi(argv[1]) : 64;
	int a, b;

	pattern_file("data1", SIZE, 1);
	pattern_file("data2", SIZE, 2);
	a = open("data1", O_RDONLY);
	b = open("data2", O_RDONLY);
	CHECK(a >= 0 && b >= 0);
	make_cold(a);
	make_cold(b);
	/* A stream is running when the door closes. */
	read_some(a, 1, warm_up, &at[0]);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
	for (int i = 0; i < 50; i++) {
		read_some(a, 1, 4, &at[0]);
		read_some(b, 2, 4, &at[1]);
	}
	if (write(1, "alive\n", 6) != 6)
		leave(5);
	leave(0);
	return 1;
}
