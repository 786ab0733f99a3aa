#include "shim/proc.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include "shim/shim.h"

/* With read(): some of these files cannot be read at an offset. */
bool prs_slurp(const char *name, char *to, size_t size)
{
	long fd = prs_sys(SYS_openat, AT_FDCWD, (long)name, O_RDONLY | O_CLOEXEC, 0), got;
	size_t used = 0;

	if (fd < 0)
		return false;
	while (used < size - 1) {
		got = prs_sys(SYS_read, fd, (long)(to + used), (long)(size - 1 - used), 0);
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	prs_sys(SYS_close, fd, 0, 0, 0);
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
