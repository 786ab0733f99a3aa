/*
 * One thread reads cold pages all the time, another installs a filter for all threads that
 * kills for advice. The reader may be in the middle of the library just then.
 */
#include "victim.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define SIZE  (4 * MIB)
#define TIMES 150
#define KILL(n)                                                                                \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (n), 0, 1),                                        \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

static struct sock_filter no_advice[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	KILL(SYS_fadvise64),
	KILL(SYS_openat),
	KILL(SYS_newfstatat),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static int fd;

static void *reader(void *arg)
{
	uint8_t buf[4096];

	(void)arg;
	for (;;)
		for (off_t at = SIZE - 4096; at >= 0; at -= 4096)
			CHECK(pread(fd, buf, sizeof(buf), at) == (ssize_t)sizeof(buf));
	return NULL;
}

static void inside(unsigned delay_us)
{
	struct sock_fprog prog = {LEN(no_advice), no_advice};
	pthread_t other;

	fd = open("data", O_RDONLY);
	CHECK(fd >= 0);
	make_cold(fd);
	CHECK(pthread_create(&other, NULL, reader, NULL) == 0);
	usleep(delay_us);
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &prog) ==
	      0);
	usleep(2000);
	_exit(0);
}

int main(void)
{
	int killed = 0;

	pattern_file("data", SIZE, 1);
	for (unsigned i = 0; i < TIMES; i++) {
		int status;
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (pid == 0)
			inside(500 + i * 37 % 3000);
		CHECK(waitpid(pid, &status, 0) == pid);
		killed += status != 0;
	}
	printf("%d killed\n", killed);
	return 0;
}
