/*
 * A timer's handler reads and seeks the very descriptors that the main loop reads, some
 * thousand times, on cold and on warm pages, so that it often lands inside the library's slow
 * path. A library that holds a lock around its own work and waits for it in the handler hangs;
 * one that keeps a position of its own, or does not put errno back, is found by the checks.
 */
#include "victim.h"
#include <signal.h>
#include <sys/time.h>

#define SIZE	(4 * MIB)
#define SIGNALS 4000

static int fd;
static int empty_pipe;
static volatile sig_atomic_t signals;

static void check_errno_kept(int wanted)
{
	CHECK(errno == wanted);
}

static void handler(int sig)
{
	uint8_t buf[512];
	int saved = errno;
	off_t was = lseek(fd, 0, SEEK_CUR);
	off_t there = (off_t)(signals * 7919 % (SIZE - 512));

	(void)sig;
	CHECK(was >= 0);
	errno = 77;
	CHECK(pread(fd, buf, sizeof(buf), there) == (ssize_t)sizeof(buf));
	CHECK(pattern_ok(buf, sizeof(buf), (uint64_t)there, 1));
	check_errno_kept(77);
	CHECK(lseek(fd, there, SEEK_SET) == there);
	CHECK(read(fd, buf, sizeof(buf)) == (ssize_t)sizeof(buf));
	CHECK(pattern_ok(buf, sizeof(buf), (uint64_t)there, 1));
	check_errno_kept(77);
	CHECK(lseek(fd, was, SEEK_SET) == was);
	CHECK(read(empty_pipe, buf, 1) == -1 && errno == EAGAIN);
	signals = signals + 1;
	errno = saved;
}

static void start_timer(void)
{
	struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct itimerval every = {{0, 70}, {0, 70}};

	CHECK(sigaction(SIGALRM, &act, NULL) == 0);
	CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
}

static void stop_timer(void)
{
	struct itimerval never = {{0, 0}, {0, 0}};

	CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
}

static void read_forward(void)
{
	static uint8_t buf[4096];

	for (off_t at = 0; at < SIZE; at += (off_t)sizeof(buf)) {
		errno = 55;
		CHECK(read(fd, buf, sizeof(buf)) == (ssize_t)sizeof(buf));
		check_errno_kept(55);
		CHECK(pattern_ok(buf, sizeof(buf), (uint64_t)at, 1));
	}
	CHECK(read(fd, buf, 1) == 0);
	check_errno_kept(55);
}

static void read_backward(void)
{
	static uint8_t buf[4096];
	off_t stands = lseek(fd, 0, SEEK_CUR);

	for (off_t at = SIZE - (off_t)sizeof(buf); at >= 0; at -= (off_t)sizeof(buf)) {
		errno = 56;
		CHECK(pread(fd, buf, sizeof(buf), at) == (ssize_t)sizeof(buf));
		check_errno_kept(56);
		CHECK(pattern_ok(buf, sizeof(buf), (uint64_t)at, 1));
	}
	CHECK(lseek(fd, 0, SEEK_CUR) == stands);
}

int main(void)
{
	int ends[2];

	pattern_file("data", SIZE, 1);
	fd = open("data", O_RDONLY);
	CHECK(fd >= 0);
	CHECK(pipe2(ends, O_NONBLOCK) == 0);
	empty_pipe = ends[0];
	start_timer();
	for (int round = 0; signals < SIGNALS; round++) {
		if (round % 4 != 3)
			make_cold(fd);
		CHECK(lseek(fd, 0, SEEK_SET) == 0);
		read_forward();
		read_backward();
	}
	stop_timer();
	puts("data, positions and errno as they should be");
	return 0;
}
