/*
 * symbols.h - what the exported functions have in common.
 *
 * Each has a few lines: ask the gate or forget a descriptor, and call the next function of
 * the same name. `__` and `_chk` siblings are functions of their own, so that what a fortified
 * program checks is still checked.
 */
#ifndef PRS_SYMBOLS_H
#define PRS_SYMBOLS_H

#include "shim/gate.h"
#include "shim/real.h"
#include "shim/shim.h"
#include "shim/table.h"

#define EXPORT __attribute__((visibility("default")))

/* The same function by another name. An alias, not a call: a call would go through whatever
 * library stands before us. */
#define SIBLING(name, sibling)                                                                 \
	extern __typeof__(name) sibling                                                        \
		__attribute__((alias(#name), copy(name), visibility("default")))

/* Functions that exist in libc and in no header. */
ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room);
ssize_t __pread_chk(int fd, void *buffer, size_t size, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *buffer, size_t size, off64_t offset, size_t room);
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);

struct timed {
	uint64_t from;
};

static inline struct timed timed_start(void)
{
	return (struct timed){prs_now()};
}

static inline ssize_t timed_end(struct timed t, int fd, uint64_t offset, size_t asked,
				ssize_t done)
{
	prs_observe(fd, offset, asked, done, t.from, prs_now());
	return done;
}

/* A descriptor was just made: whatever was known of its number is about another. */
static inline int opened(int fd)
{
	if (fd >= 0)
		prs_forget(fd);
	return fd;
}

#endif
