/*
 * What is no cached file: O_DIRECT, tmpfs, /proc, devices, pipes, sockets, terminals. Reads of
 * them may block for ever, have no position, or answer anew each time; a library that asks them
 * for a position, advises them or reads them once more changes what the program gets.
 */
#include "victim.h"
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <termios.h>

#define SIZE MIB

static void report(const char *what, bool ok)
{
	printf("%s: %s\n", what, ok ? "ok" : "WRONG");
}

static void direct(void)
{
	void *buf;
	int fd = open("data", O_RDONLY | O_DIRECT);
	bool ok = true;

	if (fd < 0) {
		report("direct (not here)", true);
		return;
	}
	CHECK(posix_memalign(&buf, 4096, 65536) == 0);
	for (off_t at = SIZE - 65536; at >= 0; at -= 65536)
		ok = ok && pread(fd, buf, 65536, at) == 65536 &&
		     pattern_ok(buf, 65536, (uint64_t)at, 1);
	for (int i = 0; i < 16; i++)
		ok = ok && read(fd, buf, 65536) == 65536;
	ok = ok && pread(fd, (char *)buf + 1, 511, 1) < 0 && errno == EINVAL;
	free(buf);
	close(fd);
	report("direct", ok);
}

/* Turned on and off under way: the library cannot know but by asking again. */
static void direct_later(void)
{
	void *buf;
	int fd = open("data", O_RDONLY);
	bool ok = fd >= 0;

	CHECK(posix_memalign(&buf, 4096, 4096) == 0);
	make_cold(fd);
	for (int i = 1; i <= 200; i++) {
		off_t at = SIZE - i * 4096L;

		if (i % 50 == 0 && fcntl(fd, F_SETFL, i % 100 ? O_DIRECT : 0) < 0 &&
		    errno != EINVAL)
			ok = false;
		ok = ok && pread(fd, buf, 4096, at) == 4096 &&
		     pattern_ok(buf, 4096, (uint64_t)at, 1);
	}
	free(buf);
	close(fd);
	report("direct later", ok);
}

static void in_memory(void)
{
	static uint8_t block[SIZE];
	uint8_t buf[4096];
	int fd = memfd_create("victim", 0);
	bool ok = fd >= 0;

	pattern_fill(block, SIZE, 0, 7);
	ok = ok && write(fd, block, SIZE) == SIZE;
	for (off_t at = SIZE - 4096; at >= 0; at -= 4096)
		ok = ok && pread(fd, buf, 4096, at) == 4096 &&
		     pattern_ok(buf, 4096, (uint64_t)at, 7);
	close(fd);
	report("memfd", ok);
}

static void proc_and_devices(void)
{
	static char text[2][65536];
	char bytes[256];
	bool ok = true;
	int fd;

	for (int i = 0; i < 2; i++) {
		ssize_t n = 0, got;

		fd = open("/proc/filesystems", O_RDONLY);
		while ((got = read(fd, text[i] + n, 100)) > 0)
			n += got;
		close(fd);
	}
	ok = strcmp(text[0], text[1]) == 0 && strlen(text[0]) > 20;
	fd = open("/dev/zero", O_RDONLY);
	for (int i = 200; i > 0; i--)
		ok = ok && pread(fd, bytes, sizeof(bytes), i * 4096L) == sizeof(bytes);
	close(fd);
	fd = open("/dev/null", O_RDONLY);
	ok = ok && read(fd, bytes, 10) == 0 && lseek(fd, 0, SEEK_CUR) == 0;
	close(fd);
	fd = open("/proc/self/mem", O_RDONLY);
	ok = ok && pread(fd, bytes, 8, (off_t)(uintptr_t)text) == 8 && !memcmp(bytes, text, 8);
	ok = ok && pread(fd, bytes, 8, 0) == -1 && errno == EIO;
	close(fd);
	fd = eventfd(5, EFD_NONBLOCK);
	ok = ok && read(fd, bytes, 8) == 8 && bytes[0] == 5;
	ok = ok && read(fd, bytes, 8) == -1 && errno == EAGAIN;
	close(fd);
	report("proc and devices", ok);
}

static void *late_writer(void *arg)
{
	int fd = *(int *)arg;
	uint8_t buf[1000];

	for (int i = 0; i < 200; i++) {
		pattern_fill(buf, sizeof(buf), (uint64_t)i * 1000, 5);
		if (i % 50 == 0)
			poll(NULL, 0, 5);
		CHECK(write(fd, buf, sizeof(buf)) == (ssize_t)sizeof(buf));
	}
	CHECK(close(fd) == 0);
	return NULL;
}

static void streams(const char *what, int in, int out)
{
	pthread_t thread;
	uint8_t buf[700];
	uint64_t at = 0;
	ssize_t n;
	bool ok = true;

	CHECK(pthread_create(&thread, NULL, late_writer, &out) == 0);
	for (int i = 0;; i++) {
		struct iovec iov[2] = {{buf, 300}, {buf + 300, 400}};

		n = i % 2 ? read(in, buf, sizeof(buf)) : readv(in, iov, 2);
		if (n <= 0)
			break;
		ok = ok && pattern_ok(buf, (size_t)n, at, 5);
		at += (uint64_t)n;
		ok = ok && lseek(in, 0, SEEK_CUR) == -1 && errno == ESPIPE;
	}
	CHECK(pthread_join(thread, NULL) == 0);
	report(what, ok && n == 0 && at == 200000);
	close(in);
}

static void nothing(int sig)
{
	(void)sig;
}

/* EINTR must come through, and a time-out on a socket. */
static void interrupted(void)
{
	struct sigaction act = {.sa_handler = nothing};
	struct itimerval soon = {{0, 3000}, {0, 3000}};
	struct itimerval never = {{0, 0}, {0, 0}};
	struct timeval wait = {0, 2000};
	int ends[2], pair[2];
	char c;
	bool ok;

	CHECK(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	CHECK(sigaction(SIGALRM, &act, NULL) == 0);
	CHECK(setitimer(ITIMER_REAL, &soon, NULL) == 0);
	ok = read(ends[0], &c, 1) == -1 && errno == EINTR;
	CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
	CHECK(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) == 0);
	ok = ok && read(pair[0], &c, 1) == -1 && errno == EAGAIN;
	report("interrupted", ok);
	close(ends[0]), close(ends[1]), close(pair[0]), close(pair[1]);
}

static void terminal(void)
{
	struct termios raw;
	int master, slave;
	char line[64] = "";
	bool ok;

	if (openpty(&master, &slave, NULL, NULL, NULL) != 0) {
		report("terminal (not here)", true);
		return;
	}
	ok = write(master, "first\nsecond\n", 13) == 13;
	ok = ok && read(slave, line, sizeof(line)) == 6 && !strncmp(line, "first\n", 6);
	ok = ok && read(slave, line, sizeof(line)) == 7 && !strncmp(line, "second\n", 7);
	CHECK(tcgetattr(slave, &raw) == 0);
	cfmakeraw(&raw);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 1;
	CHECK(tcsetattr(slave, TCSANOW, &raw) == 0);
	ok = ok && read(slave, line, sizeof(line)) == 0;
	close(slave);
	ok = ok && write(master, "x", 1) == 1;
	close(master);
	report("terminal", ok);
}

int main(void)
{
	int ends[2];

	pattern_file("data", SIZE, 1);
	direct();
	direct_later();
	in_memory();
	proc_and_devices();
	CHECK(pipe(ends) == 0);
	streams("pipe", ends[0], ends[1]);
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	streams("socket", ends[0], ends[1]);
	CHECK(mkfifo("fifo", 0600) == 0);
	ends[0] = open("fifo", O_RDONLY | O_NONBLOCK);
	ends[1] = open("fifo", O_WRONLY);
	CHECK(ends[0] >= 0 && ends[1] >= 0 && fcntl(ends[0], F_SETFL, 0) == 0);
	streams("fifo", ends[0], ends[1]);
	interrupted();
	terminal();
	return 0;
}
