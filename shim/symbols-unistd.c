/* symbols-unistd.c - what unistd.h declares: reads, positions, and a descriptor's life. */
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>
#include "shim/symbols.h"

EXPORT ssize_t read(int fd, void *buffer, size_t size)
{
	struct timed t;

	if (!prs_trips(fd, size))
		return prs_real()->read(fd, buffer, size);
	t = timed_start();
	return timed_end(t, fd, PRS_AT_POSITION, size, prs_real()->read(fd, buffer, size));
}

SIBLING(read, __read);

EXPORT ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room)
{
	struct timed t;

	if (!prs_trips(fd, size))
		return prs_real()->read_chk(fd, buffer, size, room);
	t = timed_start();
	return timed_end(t, fd, PRS_AT_POSITION, size,
			 prs_real()->read_chk(fd, buffer, size, room));
}

EXPORT ssize_t pread(int fd, void *buffer, size_t size, off_t offset)
{
	struct timed t;

	if (!prs_trips_at(fd, (uint64_t)offset, size))
		return prs_real()->pread(fd, buffer, size, offset);
	t = timed_start();
	return timed_end(t, fd, (uint64_t)offset, size,
			 prs_real()->pread(fd, buffer, size, offset));
}

EXPORT ssize_t pread64(int fd, void *buffer, size_t size, off64_t offset)
{
	struct timed t;

	if (!prs_trips_at(fd, (uint64_t)offset, size))
		return prs_real()->pread64(fd, buffer, size, offset);
	t = timed_start();
	return timed_end(t, fd, (uint64_t)offset, size,
			 prs_real()->pread64(fd, buffer, size, offset));
}

SIBLING(pread64, __pread64);

EXPORT ssize_t __pread_chk(int fd, void *buffer, size_t size, off_t offset, size_t room)
{
	struct timed t;

	if (!prs_trips_at(fd, (uint64_t)offset, size))
		return prs_real()->pread_chk(fd, buffer, size, offset, room);
	t = timed_start();
	return timed_end(t, fd, (uint64_t)offset, size,
			 prs_real()->pread_chk(fd, buffer, size, offset, room));
}

EXPORT ssize_t __pread64_chk(int fd, void *buffer, size_t size, off64_t offset, size_t room)
{
	struct timed t;

	if (!prs_trips_at(fd, (uint64_t)offset, size))
		return prs_real()->pread64_chk(fd, buffer, size, offset, room);
	t = timed_start();
	return timed_end(t, fd, (uint64_t)offset, size,
			 prs_real()->pread64_chk(fd, buffer, size, offset, room));
}

/* The position is now known, and with it how far this thread may read without a look. */
static off64_t moved(int fd, off64_t position)
{
	uint64_t word;

	if (position < 0 || !prs_live)
		return position;
	word = prs_fd_word(fd);
	if (PRS_KIND(word) == PRS_FILE && !prs_settings.exact)
		prs_place(fd, word, (uint64_t)position);
	return position;
}

EXPORT off_t lseek(int fd, off_t offset, int whence)
{
	return (off_t)moved(fd, prs_real()->lseek(fd, offset, whence));
}

SIBLING(lseek, __lseek);

EXPORT off64_t lseek64(int fd, off64_t offset, int whence)
{
	return moved(fd, prs_real()->lseek64(fd, offset, whence));
}

EXPORT int close(int fd)
{
	prs_forget(fd);
	return prs_real()->close(fd);
}

SIBLING(close, __close);

EXPORT int close_range(unsigned first, unsigned last, int flags)
{
	prs_forget_range(first, last);
	return prs_real()->close_range(first, last, flags);
}

EXPORT void closefrom(int first)
{
	prs_forget_range(first < 0 ? 0 : (unsigned)first, ~0u);
	prs_real()->closefrom(first);
}

EXPORT int dup(int fd)
{
	return opened(prs_real()->dup(fd));
}

EXPORT int dup2(int from, int to)
{
	if (from != to)
		prs_forget(to);
	return prs_real()->dup2(from, to);
}

SIBLING(dup2, __dup2);

EXPORT int dup3(int from, int to, int flags)
{
	prs_forget(to);
	return prs_real()->dup3(from, to, flags);
}
