/*
 * A handler leaves read() by siglongjmp, as old time-outs and shells do; the jump may start
 * anywhere inside the library. What it held then is held for ever. It may stop helping, but
 * later reads, closes, forks and the exit must neither hang nor go wrong.
 */
#include "victim.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#define SIZE  (2 * MIB)
#define JUMPS 1500

static sigjmp_buf out;
static volatile sig_atomic_t armed;
static volatile int jumps;

static void handler(int sig)
{
	(void)sig;
	if (armed) {
		armed = 0;
		jumps = jumps + 1;
		siglongjmp(out, 1);
	}
}

static void read_until_thrown_out(int fd)
{
	static uint8_t buf[4096];
	static volatile off_t at;

	if (sigsetjmp(out, 1))
		return;
	armed = 1;
	for (;;) {
		off_t here = at;

		at = (at + (off_t)sizeof(buf)) % SIZE;
		if (pread(fd, buf, sizeof(buf), here) != (ssize_t)sizeof(buf) ||
		    !pattern_ok(buf, 64, (uint64_t)here, 1)) {
			armed = 0;
			CHECK(!"data");
		}
	}
}

static void check_all_works(int fd)
{
	uint8_t buf[1000];
	int status;
	pid_t pid;
	int other = open("data", O_RDONLY);

	CHECK(other >= 0);
	CHECK(read(other, buf, sizeof(buf)) == (ssize_t)sizeof(buf));
	CHECK(pattern_ok(buf, sizeof(buf), 0, 1));
	CHECK(close(other) == 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		if (pread(fd, buf, sizeof(buf), 5000) != (ssize_t)sizeof(buf))
			_exit(3);
		_exit(pattern_ok(buf, sizeof(buf), 5000, 1) ? 0 : 4);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(status == 0);
}

int main(void)
{
	struct sigaction act = {.sa_handler = handler};
	struct itimerval every = {{0, 150}, {0, 150}};
	struct itimerval never = {{0, 0}, {0, 0}};
	int fd;

	pattern_file("data", SIZE, 1);
	fd = open("data", O_RDONLY);
	CHECK(fd >= 0);
	CHECK(sigaction(SIGALRM, &act, NULL) == 0);
	for (int i = 0; i < JUMPS; i++) {
		if (i % 8 == 0)
			make_cold(fd);
		CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
		read_until_thrown_out(fd);
		CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
		if (i % 50 == 0)
			check_all_works(fd);
	}
	check_all_works(fd);
	CHECK(jumps == JUMPS);
	puts("thrown out and still well");
	return 0;
}
