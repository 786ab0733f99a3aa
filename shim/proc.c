#include "shim/proc.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "shim/shim.h"

int prs_open_lock;

long prs_open(const char *path, long flags)
{
	long fd;

	if (!prs_try_hard(&prs_open_lock))
		return -1;
	fd = prs_sys(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, 0600);
	if (fd < 0)
		prs_release(&prs_open_lock);
	return fd;
}

void prs_close(long fd)
{
	prs_sys(SYS_close, fd, 0, 0, 0);
	prs_release(&prs_open_lock);
}

/* With read(): some of these files cannot be read at an offset. */
bool prs_slurp(const char *name, char *to, size_t size)
{
	long fd = prs_open(name, O_RDONLY), got;
	size_t used = 0;

	if (fd < 0)
		return false;
	while (used < size - 1) {
		got = prs_sys(SYS_read, fd, (long)(to + used), (long)(size - 1 - used), 0);
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	prs_close(fd);
	to[used] = '\0';
	return used > 0;
}

uint64_t prs_number(const char *at)
{
	uint64_t value = 0;

	while (*at == ' ' || *at == '\t')
		at++;
	for (int i = 0; at[i] >= '0' && at[i] <= '9' && i < 18; i++)
		value = value * 10 + (uint64_t)(at[i] - '0');
	return value;
}

uint64_t prs_labelled(const char *text, const char *label)
{
	size_t length = strlen(label);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, label, length))
			return prs_number(line + length);
	}
	return 0;
}

static bool has_room(long fd, size_t length, int64_t offset)
{
	struct {
		uint64_t soft, hard;
	} limit;
	struct stat st;
	uint64_t end;

	if (!prs_stat_fd(fd, &st))
		return false;
	if (!S_ISREG(st.st_mode)) {
		struct pollfd p = {.fd = (int)fd, .events = POLLOUT};
		const long now[2] = {0, 0};

		return prs_sys(SYS_ppoll, (long)&p, 1, (long)now, 0) == 1 &&
		       p.revents == POLLOUT;
	}
	end = (offset < 0 ? (uint64_t)st.st_size : (uint64_t)offset) + length;
	return !prs_sys(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit) && end <= limit.soft;
}

bool prs_put(long fd, const char *line, size_t length, int64_t offset)
{
	if (!has_room(fd, length, offset))
		return false;
	if (offset < 0)
		return prs_sys(SYS_write, fd, (long)line, (long)length, 0) == (long)length;
	return prs_sys(SYS_pwrite64, fd, (long)line, (long)length, (long)offset) ==
	       (long)length;
}
