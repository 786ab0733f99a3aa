/*
 * victim.h - what the victims share.
 *
 * A victim is a small program that does one dangerous thing. It checks itself, prints what it
 * saw and exits 0; tests/run runs it alone and under the library and wants the same output and
 * the same status. So nothing that differs between two good runs may be printed.
 */
#ifndef VICTIM_H
#define VICTIM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define KIB	    1024L
#define MIB	    (1024L * 1024L)
#define VICTIM_SKIP 77
#define LEN(a)	    (sizeof(a) / sizeof((a)[0]))
#define CHECK(cond) ((cond) ? (void)0 : victim_fail(__FILE__, __LINE__, #cond))
#define UNUSED	    __attribute__((unused))

/* write(2) and _exit only: also called from signal handlers and vfork children. */
UNUSED static _Noreturn void victim_fail(const char *file, int line, const char *cond)
{
	char text[512];
	int saved = errno;
	int n = snprintf(text, sizeof(text), "%s:%d: not so: %s (errno %d)\n", file, line, cond,
			 saved);

	if (n > 0 && write(2, text, (size_t)n) < 0)
		_exit(2);
	_exit(1);
}

UNUSED static _Noreturn void victim_skip(const char *why)
{
	printf("SKIP %s\n", why);
	fflush(stdout);
	_exit(VICTIM_SKIP);
}

/* Every byte of a test file follows from its offset and the file's seed. */
static inline uint8_t pattern_byte(uint64_t offset, uint32_t seed)
{
	uint64_t word = (offset / 8 + 1 + ((uint64_t)seed << 40)) * 0x9E3779B97F4A7C15u;

	return (uint8_t)((word ^ (word >> 29)) >> (8 * (offset % 8)));
}

UNUSED static void pattern_fill(void *buf, size_t n, uint64_t offset, uint32_t seed)
{
	for (size_t i = 0; i < n; i++)
		((uint8_t *)buf)[i] = pattern_byte(offset + i, seed);
}

UNUSED static bool pattern_ok(const void *buf, size_t n, uint64_t offset, uint32_t seed)
{
	for (size_t i = 0; i < n; i++)
		if (((const uint8_t *)buf)[i] != pattern_byte(offset + i, seed))
			return false;
	return true;
}

UNUSED static void pattern_file(const char *path, size_t size, uint32_t seed)
{
	static uint8_t buf[64 * KIB];
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	CHECK(fd >= 0);
	for (size_t done = 0; done < size;) {
		size_t n = size - done < sizeof(buf) ? size - done : sizeof(buf);

		pattern_fill(buf, n, done, seed);
		CHECK(write(fd, buf, n) == (ssize_t)n);
		done += n;
	}
	CHECK(fsync(fd) == 0);
	CHECK(close(fd) == 0);
}

/*
 * Drops the file's cached pages, so that the next reads wait: only a read that waits gets the
 * library to work. By a raw call, or it would count as the program's own advice.
 */
UNUSED static void make_cold(int fd)
{
	syscall(SYS_fadvise64, fd, 0L, 0L, 4 /* POSIX_FADV_DONTNEED */);
}

/* A small generator, so that a seed gives the same run everywhere. */
static inline uint32_t prng(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

#endif
