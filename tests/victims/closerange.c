/*
 * Programs close what they do not know: shells, daemons, sandboxes. A library that keeps a
 * descriptor loses it here, and then reads or writes somebody else's file at the same number;
 * one that takes a number breaks programs that count on the lowest free one. Neither may there
 * be a thread more, or a signal blocked, ignored or caught.
 */
#include "victim.h"
#include <dirent.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define SIZE (2 * MIB)

/* One character a descriptor, by raw calls: opendir could be what the library watches. */
static void list_fds(char *out, size_t max)
{
	for (size_t i = 0; i + 1 < max; i++)
		out[i] = syscall(SYS_fcntl, (int)i, F_GETFD, 0) < 0 ? '.' : 'x';
	out[max - 1] = 0;
}

/* Threads, and the signals that are blocked, ignored or caught. */
static void print_process(void)
{
	static char text[8192];
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY);
	ssize_t n = syscall(SYS_read, fd, text, sizeof(text) - 1);

	CHECK(n > 0 && syscall(SYS_close, fd) == 0);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (!strncmp(line, "Threads", 7) || !strncmp(line, "Sig", 3))
			puts(line);
}

static void read_backward(int fd)
{
	uint8_t buf[4096];

	for (off_t at = SIZE - 4096; at >= 0; at -= 4096) {
		CHECK(pread(fd, buf, sizeof(buf), at) == (ssize_t)sizeof(buf));
		CHECK(pattern_ok(buf, sizeof(buf), (uint64_t)at, 1));
	}
}

static void read_forward(int fd)
{
	uint8_t buf[4096];

	CHECK(lseek(fd, 0, SEEK_SET) == 0);
	for (off_t at = 0; at < SIZE; at += 4096) {
		CHECK(read(fd, buf, sizeof(buf)) == (ssize_t)sizeof(buf));
		CHECK(pattern_ok(buf, sizeof(buf), (uint64_t)at, 1));
	}
}

static void check_no_extra_fd(void)
{
	char before[64], after[64];
	int fd;

	list_fds(before, sizeof(before));
	fd = open("data", O_RDONLY);
	CHECK(fd == 3);
	make_cold(fd);
	read_backward(fd);
	make_cold(fd);
	read_forward(fd);
	CHECK(close(fd) == 0);
	list_fds(after, sizeof(after));
	CHECK(strcmp(before, after) == 0);
	printf("descriptors: %.10s\n", after);
}

static void check_fixed_numbers(void)
{
	int fd = open("data", O_RDONLY);

	CHECK(fd == 3);
	for (int to = 4; to < 40; to++)
		CHECK(dup2(fd, to) == to);
	CHECK(close(17) == 0 && close(9) == 0);
	CHECK(open("data", O_RDONLY) == 9);
	CHECK(dup(3) == 17);
	CHECK(fcntl(3, F_DUPFD, 20) == 40);
	make_cold(9);
	read_backward(9);
	read_forward(39);
	for (int i = 3; i <= 40; i++)
		CHECK(close(i) == 0);
}

static void check_close_range(void)
{
	int fd = open("data", O_RDONLY);
	uint8_t buf[16];

	CHECK(fd == 3 && dup2(fd, 100) == 100);
	read_backward(100);
	CHECK(close_range(3, ~0U, 0) == 0);
	CHECK(read(100, buf, 1) == -1 && errno == EBADF);
	CHECK(pread(fd, buf, 1, 0) == -1 && errno == EBADF);
	fd = open("data", O_RDONLY);
	CHECK(fd == 3);
	make_cold(fd);
	CHECK(close_range(3, 3, CLOSE_RANGE_CLOEXEC) == 0);
	read_backward(fd);
	closefrom(3);
	CHECK(lseek(3, 0, SEEK_CUR) == -1 && errno == EBADF);
	CHECK(open("data", O_RDONLY) == 3);
	read_forward(3);
	CHECK(close(3) == 0);
}

static void daemon_body(int max)
{
	int fd;

	for (int i = 0; i < max; i++)
		close(i);
	if (open("/dev/null", O_RDWR) != 0 || dup(0) != 1 || dup(0) != 2)
		_exit(31);
	fd = open("data", O_RDONLY);
	if (fd != 3)
		_exit(32);
	make_cold(fd);
	read_backward(fd);
	read_forward(fd);
	fd = open("result", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd != 4 || write(fd, "daemon done\n", 12) != 12)
		_exit(33);
	exit(0);
}

static void check_daemon(void)
{
	struct rlimit limit;
	int status;
	pid_t pid;

	/* The grandchild becomes ours, so that its status is known. */
	CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		if (setsid() < 0)
			_exit(30);
		pid = fork();
		if (pid != 0)
			_exit(pid > 0 ? 0 : 30);
		daemon_body(limit.rlim_cur < 4096 ? (int)limit.rlim_cur : 4096);
	}
	while ((pid = wait(&status)) > 0)
		CHECK(status == 0);
	CHECK(access("result", R_OK) == 0);
}

int main(void)
{
	char start[64];

	list_fds(start, sizeof(start));
	printf("at the start: %s\n", start);
	closefrom(3);
	pattern_file("data", SIZE, 1);
	check_no_extra_fd();
	check_fixed_numbers();
	check_close_range();
	print_process();
	check_daemon();
	puts("no descriptor taken, none missed");
	return 0;
}
