/*
 * A descriptor is closed by a raw system call, unseen, and its number comes back as another
 * file, a pipe or a socket. Data must be the new file's, and advice that was planned for the
 * old one must not land on it: fdreuse.sh looks at that with strace. The new file is small, so
 * that any advice past SMALL bytes on it was meant for the old one.
 */
#include "victim.h"
#include <sys/socket.h>

#define SIZE  (4 * MIB)
#define SMALL (64 * KIB)

static void read_backward(int fd, off_t from, int blocks, uint32_t seed)
{
	uint8_t buf[4096];

	for (int i = 1; i <= blocks; i++) {
		off_t at = from - i * 4096L;

		CHECK(pread(fd, buf, sizeof(buf), at) == (ssize_t)sizeof(buf));
		CHECK(pattern_ok(buf, sizeof(buf), (uint64_t)at, seed));
	}
}

/* Leaves a stream running on fd: the next read in it is where the library wants to advise. */
static int start_stream(void)
{
	int fd = open("big", O_RDONLY);

	CHECK(fd >= 0);
	make_cold(fd);
	read_backward(fd, SIZE, 100, 1);
	CHECK(lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

static void replace(int fd, int other)
{
	CHECK(syscall(SYS_close, fd) == 0);
	CHECK(syscall(SYS_fcntl, other, F_DUPFD, fd) == fd);
	CHECK(syscall(SYS_close, other) == 0);
}

static void by_small_file(void)
{
	uint8_t buf[4096];
	int fd = start_stream();

	replace(fd, (int)syscall(SYS_openat, AT_FDCWD, "small", O_RDONLY));
	make_cold(fd);
	/* Where the old stream was going to be read next: past this file's end. */
	for (int i = 101; i < 200; i++)
		CHECK(pread(fd, buf, sizeof(buf), SIZE - i * 4096L) == 0);
	read_backward(fd, SMALL, SMALL / 4096, 2);
	CHECK(lseek(fd, 0, SEEK_CUR) == 0);
	CHECK(read(fd, buf, sizeof(buf)) == (ssize_t)sizeof(buf));
	CHECK(pattern_ok(buf, sizeof(buf), 0, 2));
	CHECK(close(fd) == 0);
}

static void by_stream(bool socket)
{
	uint8_t buf[4096];
	int ends[2];
	int fd = start_stream();

	if (socket)
		CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	else
		CHECK(pipe(ends) == 0);
	replace(fd, ends[0]);
	for (int i = 0; i < 100; i++) {
		pattern_fill(buf, 1000, (uint64_t)i * 1000, 3);
		CHECK(write(ends[1], buf, 1000) == 1000);
		CHECK(read(fd, buf, sizeof(buf)) == 1000);
		CHECK(pattern_ok(buf, 1000, (uint64_t)i * 1000, 3));
		CHECK(pread(fd, buf, 4096, SIZE - (i + 101) * 4096L) == -1);
		CHECK(errno == ESPIPE);
	}
	close(ends[1]);
	CHECK(read(fd, buf, sizeof(buf)) == 0);
	CHECK(close(fd) == 0);
}

static void by_directory(void)
{
	uint8_t buf[4096];
	int fd = start_stream();

	replace(fd, (int)syscall(SYS_openat, AT_FDCWD, ".", O_RDONLY | O_DIRECTORY));
	for (int i = 101; i < 200; i++) {
		CHECK(pread(fd, buf, 4096, SIZE - i * 4096L) == -1);
		CHECK(errno == EISDIR);
	}
	CHECK(close(fd) == 0);
}

int main(void)
{
	pattern_file("big", SIZE, 1);
	pattern_file("small", SMALL, 2);
	by_small_file();
	by_stream(false);
	by_stream(true);
	by_directory();
	puts("each number read what it was");
	return 0;
}
