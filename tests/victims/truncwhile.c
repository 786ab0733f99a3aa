/*
 * The file shrinks, grows and vanishes while it is read ahead. What the library knew of its
 * size is then wrong: reads at the new end must return what the kernel says, and a mapping of
 * the library's own over the file would raise SIGBUS.
 */
#include "victim.h"

#define SIZE (2 * MIB)

static uint8_t buf[4096];

static void backward(int fd, off_t from, off_t to)
{
	for (off_t at = from - 4096; at >= to; at -= 4096) {
		CHECK(pread(fd, buf, sizeof(buf), at) == (ssize_t)sizeof(buf));
		CHECK(pattern_ok(buf, sizeof(buf), (uint64_t)at, 1));
	}
}

static void forward(int fd, off_t from, off_t to)
{
	CHECK(lseek(fd, from, SEEK_SET) == from);
	for (off_t at = from; at < to; at += 4096) {
		CHECK(read(fd, buf, sizeof(buf)) == (ssize_t)sizeof(buf));
		CHECK(pattern_ok(buf, sizeof(buf), (uint64_t)at, 1));
	}
}

static void shrink_and_grow(int fd)
{
	forward(fd, 0, MIB);
	CHECK(ftruncate(fd, MIB + 100) == 0);
	CHECK(read(fd, buf, sizeof(buf)) == 100);
	CHECK(pattern_ok(buf, 100, MIB, 1));
	CHECK(read(fd, buf, sizeof(buf)) == 0);
	backward(fd, MIB, 0);
	CHECK(ftruncate(fd, 0) == 0);
	CHECK(pread(fd, buf, sizeof(buf), 4096) == 0);
	CHECK(ftruncate(fd, SIZE) == 0);
	CHECK(read(fd, buf, sizeof(buf)) == (ssize_t)sizeof(buf));
	for (size_t i = 0; i < sizeof(buf); i++)
		CHECK(buf[i] == 0);
	CHECK(close(fd) == 0);
}

/* As tail -f: each piece is read as soon as it was appended, up to the end and beyond. */
static void follow(void)
{
	int in, out = open("log", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);

	CHECK(out >= 0);
	CHECK((in = open("log", O_RDONLY)) >= 0);
	for (int i = 0; i < 600; i++) {
		pattern_fill(buf, 777, (uint64_t)i * 777, 4);
		CHECK(write(out, buf, 777) == 777);
		CHECK(read(in, buf, sizeof(buf)) == 777);
		CHECK(pattern_ok(buf, 777, (uint64_t)i * 777, 4));
		CHECK(read(in, buf, sizeof(buf)) == 0);
	}
	CHECK(close(in) == 0 && close(out) == 0);
}

static void unlinked(void)
{
	int fd;

	pattern_file("gone", SIZE, 1);
	CHECK((fd = open("gone", O_RDWR)) >= 0);
	make_cold(fd);
	backward(fd, SIZE, MIB);
	CHECK(unlink("gone") == 0);
	pattern_file("gone", 8192, 9);
	backward(fd, MIB, 0);
	forward(fd, 0, SIZE);
	CHECK(close(fd) == 0);
	/* The same name, another file; perhaps the same inode number. */
	CHECK((fd = open("gone", O_RDONLY)) >= 0);
	CHECK(pread(fd, buf, 4096, 4096) == 4096 && pattern_ok(buf, 4096, 4096, 9));
	CHECK(pread(fd, buf, 4096, MIB) == 0);
	CHECK(close(fd) == 0);
}

int main(void)
{
	int fd;

	pattern_file("data", SIZE, 1);
	CHECK((fd = open("data", O_RDWR)) >= 0);
	make_cold(fd);
	shrink_and_grow(fd);
	follow();
	unlinked();
	puts("read what was there");
	return 0;
}
