/*
 * Built with _FORTIFY_SOURCE, reads go to __read_chk and its kin. A read too large for its
 * buffer must still end in the C library's abort with its message: a library that chains these
 * to plain read lets the overflow happen.
 */
#ifdef __OPTIMIZE__
#undef _FORTIFY_SOURCE
#define _FORTIFY_SOURCE 2
#endif
#include "victim.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum overflow { READ, PREAD, FREAD, FGETS, OVERFLOWS };

/* Not known to the compiler, or it would warn and not ask at run time. */
static volatile size_t too_much = 64;

static void overflow(enum overflow what)
{
	char small[16];
	FILE *file;
	int fd = open("data", O_RDONLY);

	CHECK(fd >= 0);
	file = fdopen(fd, "r");
	CHECK(file);
	switch (what) {
	case READ:
		(void)!read(fd, small, too_much);
		break;
	case PREAD:
		(void)!pread(fd, small, too_much, 0);
		break;
	case FREAD:
		(void)!fread(small, 1, too_much, file);
		break;
	default:
		(void)!fgets(small, (int)too_much, file);
		break;
	}
	_exit(small[0] == 1);
}

static void run(enum overflow what)
{
	struct rlimit none = {0, 0};
	char said[200] = "";
	int ends[2];
	int status;
	pid_t pid;

	CHECK(pipe(ends) == 0);
	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &none);
		dup2(ends[1], 2);
		overflow(what);
	}
	close(ends[1]);
	(void)!read(ends[0], said, sizeof(said) - 1);
	close(ends[0]);
	CHECK(waitpid(pid, &status, 0) == pid);
	printf("%d: signal %d: %s", what, WIFSIGNALED(status) ? WTERMSIG(status) : 0, said);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	CHECK(strstr(said, "buffer overflow detected"));
}

int main(void)
{
#ifndef __OPTIMIZE__
	victim_skip("needs an optimised build");
#endif
	uint8_t buf[512];
	int fd;

	pattern_file("data", MIB, 1);
	for (int i = 0; i < OVERFLOWS; i++)
		run((enum overflow)i);
	fd = open("data", O_RDONLY);
	CHECK(fd >= 0);
	too_much = sizeof(buf);
	CHECK(read(fd, buf, too_much) == (ssize_t)sizeof(buf));
	CHECK(pattern_ok(buf, sizeof(buf), 0, 1));
	CHECK(pread(fd, buf, too_much, 1000) == (ssize_t)sizeof(buf));
	CHECK(pattern_ok(buf, sizeof(buf), 1000, 1));
	puts("fine within bounds");
	return 0;
}
