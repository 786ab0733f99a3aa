/* symbols-fcntl.c - what fcntl.h declares: a descriptor's beginning. */
#include <fcntl.h>
#include <stdarg.h>
#include "shim/symbols.h"

/* The mode is there only with these flags; without them fetching it would read noise. */
static bool has_mode(int flags)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
}

/* One list of arguments is fetched in one place: sets `mode` after the parameter `flags`. */
#define FETCH_MODE(mode, flags)                                                                \
	do {                                                                                   \
		va_list list;                                                                  \
		va_start(list, flags);                                                         \
		if (has_mode(flags))                                                           \
			mode = va_arg(list, mode_t);                                           \
		va_end(list);                                                                  \
	} while (0)

EXPORT int open(const char *path, int flags, ...)
{
	mode_t mode = 0;

	FETCH_MODE(mode, flags);
	return opened(prs_real()->open(path, flags, mode));
}

EXPORT int open64(const char *path, int flags, ...)
{
	mode_t mode = 0;

	FETCH_MODE(mode, flags);
	return opened(prs_real()->open64(path, flags, mode));
}

SIBLING(open, __open);

SIBLING(open64, __open64);

EXPORT int __open_2(const char *path, int flags)
{
	return opened(prs_real()->open_2(path, flags));
}

EXPORT int __open64_2(const char *path, int flags)
{
	return opened(prs_real()->open64_2(path, flags));
}

EXPORT int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;

	FETCH_MODE(mode, flags);
	return opened(prs_real()->openat(dir, path, flags, mode));
}

EXPORT int openat64(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;

	FETCH_MODE(mode, flags);
	return opened(prs_real()->openat64(dir, path, flags, mode));
}

EXPORT int __openat_2(int dir, const char *path, int flags)
{
	return opened(prs_real()->openat_2(dir, path, flags));
}

EXPORT int __openat64_2(int dir, const char *path, int flags)
{
	return opened(prs_real()->openat64_2(dir, path, flags));
}

EXPORT int creat(const char *path, mode_t mode)
{
	return opened(prs_real()->creat(path, mode));
}

EXPORT int creat64(const char *path, mode_t mode)
{
	return opened(prs_real()->creat64(path, mode));
}

EXPORT int open_by_handle_at(int mount, struct file_handle *handle, int flags)
{
	return opened(prs_real()->open_by_handle_at(mount, handle, flags));
}

/* Every command's argument is a word or nothing; passing a word on is right for all. */
static int seen(int (*next)(int, int, ...), int fd, int command, void *argument)
{
	int result = next(fd, command, argument);

	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
		return opened(result);
	/* It may now be read without the page cache: learn it anew. */
	if (command == F_SETFL)
		prs_forget(fd);
	return result;
}

#define FETCH_ARGUMENT(argument, command)                                                      \
	do {                                                                                   \
		va_list list;                                                                  \
		va_start(list, command);                                                       \
		argument = va_arg(list, void *);                                               \
		va_end(list);                                                                  \
	} while (0)

EXPORT int fcntl(int fd, int command, ...)
{
	void *argument;

	FETCH_ARGUMENT(argument, command);
	return seen(prs_real()->fcntl, fd, command, argument);
}

SIBLING(fcntl, __fcntl);

EXPORT int fcntl64(int fd, int command, ...)
{
	void *argument;

	FETCH_ARGUMENT(argument, command);
	return seen(prs_real()->fcntl64, fd, command, argument);
}
