/*
 * symbols-uio.c - vectored reads.
 *
 * A vector is not looked into before the call: the kernel answers EFAULT to a bad one, and
 * so must we. How much was asked is taken from what came.
 */
#include <sys/uio.h>
#include "shim/symbols.h"

EXPORT ssize_t readv(int fd, const struct iovec *vector, int count)
{
	struct timed t;
	ssize_t done;

	if (prs_trips_vector(fd)) {
		t = timed_start();
		done = prs_real()->readv(fd, vector, count);
		return timed_end(t, fd, PRS_AT_POSITION, done > 0 ? (size_t)done : 0, done);
	}
	done = prs_real()->readv(fd, vector, count);
	prs_vector_done(fd, done);
	return done;
}

static ssize_t seen(struct timed t, int fd, uint64_t offset, ssize_t done)
{
	return timed_end(t, fd, offset, done > 0 ? (size_t)done : 0, done);
}

EXPORT ssize_t preadv(int fd, const struct iovec *vector, int count, off_t offset)
{
	struct timed t;

	if (!prs_trips_at(fd, (uint64_t)offset, 1))
		return prs_real()->preadv(fd, vector, count, offset);
	t = timed_start();
	return seen(t, fd, (uint64_t)offset, prs_real()->preadv(fd, vector, count, offset));
}

EXPORT ssize_t preadv64(int fd, const struct iovec *vector, int count, off64_t offset)
{
	struct timed t;

	if (!prs_trips_at(fd, (uint64_t)offset, 1))
		return prs_real()->preadv64(fd, vector, count, offset);
	t = timed_start();
	return seen(t, fd, (uint64_t)offset, prs_real()->preadv64(fd, vector, count, offset));
}

/* An offset of -1 means the descriptor's position. */
EXPORT ssize_t preadv2(int fd, const struct iovec *vector, int count, off_t offset, int flags)
{
	struct timed t;
	ssize_t done;

	if (offset == -1 ? !prs_trips_vector(fd) : !prs_trips_at(fd, (uint64_t)offset, 1)) {
		done = prs_real()->preadv2(fd, vector, count, offset, flags);
		if (offset == -1)
			prs_vector_done(fd, done);
		return done;
	}
	t = timed_start();
	return seen(t, fd, offset == -1 ? PRS_AT_POSITION : (uint64_t)offset,
		    prs_real()->preadv2(fd, vector, count, offset, flags));
}

EXPORT ssize_t preadv64v2(int fd, const struct iovec *vector, int count, off64_t offset,
			  int flags)
{
	struct timed t;
	ssize_t done;

	if (offset == -1 ? !prs_trips_vector(fd) : !prs_trips_at(fd, (uint64_t)offset, 1)) {
		done = prs_real()->preadv64v2(fd, vector, count, offset, flags);
		if (offset == -1)
			prs_vector_done(fd, done);
		return done;
	}
	t = timed_start();
	return seen(t, fd, offset == -1 ? PRS_AT_POSITION : (uint64_t)offset,
		    prs_real()->preadv64v2(fd, vector, count, offset, flags));
}
