/*
 * sandbox.c - are the library's calls allowed where we are?
 *
 * A seccomp filter may kill for a call that it does not like. A container's filter allows all
 * that the library does; others may not, and the library cannot find out without risking the
 * program. A child of ours can: it makes each call once, to no effect, and if it lives, the
 * library is told under how many filters that was tried. With more filters it stays inert.
 */
#include "command/command.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Answers do not matter, only that they come. */
static void try_all(void)
{
	const struct rlimit no_core = {0, 0};
	const struct timespec now = {0, 0};
	uint64_t limit[2];
	struct utsname name;
	struct statfs fs;
	struct stat st;
	char byte[2];
	void *page;

	setrlimit(RLIMIT_CORE, &no_core);
	(void)!syscall(SYS_fadvise64, -1, 0L, 0L, POSIX_FADV_WILLNEED);
	(void)!syscall(SYS_newfstatat, 0, "", &st, AT_EMPTY_PATH);
	(void)!syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", byte, sizeof(byte));
	(void)!syscall(SYS_pread64, -1, byte, 1L, 0L);
	(void)!syscall(SYS_pwrite64, -1, byte, 1L, 0L);
	(void)!syscall(SYS_write, -1, byte, 1L);
	(void)!syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, limit);
	(void)!syscall(SYS_ppoll, NULL, 0L, &now, NULL, 0L);
	(void)!syscall(SYS_lseek, -1, 0L, SEEK_CUR);
	(void)!syscall(SYS_getcwd, byte, sizeof(byte));
	(void)!fcntl(-1, F_GETFL);
	(void)!fstatfs(-1, &fs);
	(void)!uname(&name);
	sched_yield();
	(void)getpid();
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (page != MAP_FAILED) {
		(void)!mprotect(page, 4096, PROT_READ);
		munmap(page, 4096);
	}
}

static unsigned long filters(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	unsigned long count = 0;
	char line[256];

	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "Seccomp_filters: %lu", &count) == 1)
			break;
	if (status)
		fclose(status);
	return count;
}

void cmd_sandbox_try(void)
{
	char text[24];
	int status;
	pid_t child;

	unsetenv("PREREAD_SANDBOX");
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) <= 0)
		return;
	child = fork();
	if (child == 0) {
		try_all();
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
		cmd_say("a seccomp filter forbids what the library does: running unhelped");
		return;
	}
	snprintf(text, sizeof(text), "%lu", filters());
	setenv("PREREAD_SANDBOX", text, 1);
}
