/*
 * A filter that allows a program's own calls and kills for getpid, which it never makes. What
 * it does with descriptors afterwards - closing, duplicating, forking - must make no call of
 * ours. And the same filter inherited over exec.
 */
#include "victim.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define SIZE (2 * MIB)

static struct sock_filter no_getpid[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpid, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static void install(void)
{
	struct sock_fprog prog = {LEN(no_getpid), no_getpid};

	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0);
}

static void read_cold(int fd)
{
	uint8_t buf[4096];

	make_cold(fd);
	for (off_t at = SIZE - 4096; at >= 0; at -= 4096)
		CHECK(pread(fd, buf, sizeof(buf), at) == (ssize_t)sizeof(buf));
}

static void by_close(int fd)
{
	install();
	CHECK(close(fd) == 0);
}

static void by_dup2(int fd)
{
	install();
	CHECK(dup2(0, fd) == fd);
}

static void by_close_range(int fd)
{
	install();
	CHECK(close_range((unsigned)fd, (unsigned)fd, 0) == 0);
}

static void by_fork(int fd)
{
	int status;
	pid_t pid;

	(void)fd;
	install();
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		_exit(0);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(status == 0);
}

static void by_exec(int fd)
{
	char *argv[] = {(char *)"again", (char *)"again", NULL};

	(void)fd;
	install();
	execv("/proc/self/exe", argv);
}

static const struct {
	const char *name;
	void (*run)(int fd);
} ways[] = {{"close", by_close},
	    {"dup2", by_dup2},
	    {"close_range", by_close_range},
	    {"fork", by_fork},
	    {"exec", by_exec}};

int main(int argc, char **argv)
{
	int fd;

	(void)argv;
	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 1) {
		fd = open("data", O_RDONLY);
		CHECK(fd >= 0);
		read_cold(fd);
		CHECK(close_range((unsigned)fd, (unsigned)fd, 0) == 0);
		return 0;
	}
	pattern_file("data", SIZE, 1);
	for (size_t i = 0; i < LEN(ways); i++) {
		int status;
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (pid == 0) {
			fd = open("data", O_RDONLY);
			CHECK(fd >= 0);
			read_cold(fd);
			ways[i].run(fd);
			_exit(0);
		}
		CHECK(waitpid(pid, &status, 0) == pid);
		printf("%s: %d\n", ways[i].name, status);
	}
	return 0;
}
