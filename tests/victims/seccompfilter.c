/*
 * A filter that kills whatever it does not list: advice, stat, open, lseek, the clock. Cold
 * reads after it must survive, so the library has to notice the filter when it is installed
 * (by prctl, by syscall, for all threads at once), when it was inherited over exec, and at
 * exit, where statistics are due that can no longer be written.
 */
#include "victim.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define SIZE (2 * MIB)
#define ALLOW(n)                                                                               \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (n), 0, 1),                                        \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define KILL(n)                                                                                \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (n), 0, 1),                                        \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define LOAD_NR BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

enum way { BY_PRCTL, BY_SYSCALL, FROM_THREAD, WAYS };

static struct sock_filter only_reads[] = {
	LOAD_NR,
	ALLOW(SYS_read),
	ALLOW(SYS_pread64),
	ALLOW(SYS_write),
	ALLOW(SYS_exit),
	ALLOW(SYS_exit_group),
	ALLOW(SYS_rt_sigreturn),
	/* What exit() itself may do. */
	ALLOW(SYS_munmap),
	ALLOW(SYS_futex),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

static struct sock_filter no_advice[] = {
	LOAD_NR,
	KILL(SYS_fadvise64),
	KILL(SYS_readahead),
	KILL(SYS_cachestat),
	KILL(SYS_mincore),
	KILL(SYS_madvise),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static int fds[2];
static volatile int go, ready;

static void read_backward(int fd, uint32_t seed, off_t from, off_t to)
{
	uint8_t buf[4096];

	for (off_t at = from - 4096; at >= to; at -= 4096)
		if (pread(fd, buf, sizeof(buf), at) != (ssize_t)sizeof(buf) ||
		    !pattern_ok(buf, sizeof(buf), (uint64_t)at, seed))
			_exit(50);
}

static void read_forward(int fd, uint32_t seed, int blocks)
{
	uint8_t buf[4096];

	for (int i = 0; i < blocks; i++)
		if (read(fd, buf, sizeof(buf)) != (ssize_t)sizeof(buf) ||
		    !pattern_ok(buf, sizeof(buf), (uint64_t)i * 4096, seed))
			_exit(51);
}

static void install(enum way way, struct sock_filter *code, size_t n)
{
	struct sock_fprog prog = {(unsigned short)n, code};

	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	if (way == BY_PRCTL)
		CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0);
	else
		CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			      way == FROM_THREAD ? SECCOMP_FILTER_FLAG_TSYNC : 0, &prog) == 0);
}

static void *thread(void *arg)
{
	(void)arg;
	read_backward(fds[1], 2, SIZE, MIB);
	__atomic_store_n(&ready, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&go, __ATOMIC_SEQ_CST))
		;
	read_backward(fds[1], 2, MIB, 0);
	__atomic_store_n(&ready, 2, __ATOMIC_SEQ_CST);
	for (;;)
		read_backward(fds[0], 1, SIZE, 0);
	return NULL;
}

static void inside(enum way way, bool by_exit)
{
	pthread_t other;

	make_cold(fds[0]);
	make_cold(fds[1]);
	if (way == FROM_THREAD) {
		CHECK(pthread_create(&other, NULL, thread, NULL) == 0);
		while (__atomic_load_n(&ready, __ATOMIC_SEQ_CST) != 1)
			;
	}
	read_backward(fds[0], 1, SIZE, MIB);
	install(way, only_reads, LEN(only_reads));
	__atomic_store_n(&go, 1, __ATOMIC_SEQ_CST);
	read_backward(fds[0], 1, MIB, 0);
	read_forward(fds[0], 1, 512);
	while (way == FROM_THREAD && __atomic_load_n(&ready, __ATOMIC_SEQ_CST) != 2)
		;
	if (by_exit)
		exit(0);
	_exit(0);
}

static int run(enum way way, bool by_exit)
{
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0)
		inside(way, by_exit);
	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

static int run_inherited(char *self)
{
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		char *argv[] = {self, (char *)"inherited", NULL};

		install(BY_PRCTL, no_advice, LEN(no_advice));
		execv("/proc/self/exe", argv);
		_exit(52);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 1) {
		fds[0] = open("data1", O_RDONLY);
		CHECK(fds[0] >= 0);
		syscall(SYS_lseek, fds[0], 0L, SEEK_SET);
		read_backward(fds[0], 1, SIZE, 0);
		return 0;
	}
	pattern_file("data1", SIZE, 1);
	pattern_file("data2", SIZE, 2);
	fds[0] = open("data1", O_RDONLY);
	fds[1] = open("data2", O_RDONLY);
	CHECK(fds[0] >= 0 && fds[1] >= 0);
	for (int way = 0; way < WAYS; way++) {
		CHECK(lseek(fds[0], 0, SEEK_SET) == 0);
		printf("way %d, _exit: %d\n", way, run((enum way)way, false));
		CHECK(lseek(fds[0], 0, SEEK_SET) == 0);
		printf("way %d, exit: %d\n", way, run((enum way)way, true));
	}
	make_cold(fds[0]);
	printf("inherited: %d\n", run_inherited(argv[0]));
	return 0;
}
