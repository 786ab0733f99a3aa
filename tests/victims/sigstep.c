/*
 * Single-steps itself through reads: the processor's trap flag raises SIGTRAP after every
 * instruction, and the handler reads, seeks and opens. So each point of the library's path is
 * interrupted by each call, without waiting for luck. Every lock that is waited for shows up as
 * a hang, every half-written entry as wrong data.
 */
#include "victim.h"
#include <signal.h>

#define SIZE (2 * MIB)

static int fd;
static volatile long steps;
static volatile int stepping;

static void handler(int sig)
{
	uint8_t buf[64];
	off_t there = (off_t)(steps * 4093 % (SIZE - 64));

	(void)sig;
	steps = steps + 1;
	if (!stepping)
		return;
	errno = 88;
	CHECK(pread(fd, buf, sizeof(buf), there) == (ssize_t)sizeof(buf));
	CHECK(errno == 88 && pattern_ok(buf, sizeof(buf), (uint64_t)there, 1));
	if (steps % 16 == 0) {
		off_t was = lseek(fd, 0, SEEK_CUR);

		CHECK(lseek(fd, there, SEEK_SET) == there);
		CHECK(read(fd, buf, sizeof(buf)) == (ssize_t)sizeof(buf));
		CHECK(pattern_ok(buf, sizeof(buf), (uint64_t)there, 1));
		CHECK(lseek(fd, was, SEEK_SET) == was);
	}
	if (steps % 64 == 0) {
		int other = open("data", O_RDONLY);
		int copy = dup(other);

		CHECK(other >= 0 && copy >= 0);
		CHECK(read(copy, buf, sizeof(buf)) == (ssize_t)sizeof(buf));
		CHECK(close(other) == 0 && close(copy) == 0);
	}
}

#if defined(__x86_64__)
/* The handler's own errno use must not be taken for the library's: it is set back here. */
static void handler_keeping_errno(int sig)
{
	int saved = errno;

	handler(sig);
	errno = saved;
}

/* The red zone is stepped over: the compiler may keep live data below the stack pointer. */
#define CHANGE_FLAGS(change)                                                                   \
	__asm__ volatile("sub $128, %%rsp\n\tpushfq\n\t" change                                \
			 ", (%%rsp)\n\tpopfq\n\tadd $128, %%rsp" ::                            \
				 : "memory", "cc")

static void set_stepping(int on)
{
	if (on) {
		stepping = 1;
		CHANGE_FLAGS("orq $0x100");
	} else {
		CHANGE_FLAGS("andq $~0x100");
		stepping = 0;
	}
}

static void read_stepped(off_t at, size_t n, bool positioned)
{
	static uint8_t buf[4096];
	ssize_t got;
	int err;

	CHECK(lseek(fd, at, SEEK_SET) == at);
	errno = 44;
	set_stepping(1);
	got = positioned ? pread(fd, buf, n, at) : read(fd, buf, n);
	err = errno;
	set_stepping(0);
	CHECK(got == (ssize_t)n && err == 44);
	CHECK(pattern_ok(buf, n, (uint64_t)at, 1));
}

static void lifetime_stepped(void)
{
	int a, b, ok;

	set_stepping(1);
	a = open("data", O_RDONLY);
	b = dup(a);
	ok = dup2(a, b) == b && fcntl(b, F_GETFD) == 0 && close(b) == 0 && close(a) == 0;
	set_stepping(0);
	CHECK(a >= 0 && b >= 0 && ok);
}

int main(void)
{
	struct sigaction act = {.sa_handler = handler_keeping_errno};

	pattern_file("data", SIZE, 1);
	fd = open("data", O_RDONLY);
	CHECK(fd >= 0);
	CHECK(sigaction(SIGTRAP, &act, NULL) == 0);
	make_cold(fd);
	for (int i = 0; i < 48; i++)
		read_stepped(i * 4096L, 4096, false);
	make_cold(fd);
	for (int i = 48; i > 0; i--)
		read_stepped(MIB + i * 4096L, 4096, true);
	for (int i = 0; i < 16; i++)
		read_stepped(i * 65536L, 1000, i % 2 != 0);
	for (int i = 0; i < 8; i++)
		lifetime_stepped();
	CHECK(steps > 500);
	puts("every step survived");
	return 0;
}
#else
int main(void)
{
	(void)handler;
	victim_skip("single-stepping oneself is written for x86_64 only");
}
#endif
