/*
 * A thread reads cold pages while another forks. The children have the descriptors that the
 * program opened, and no other: what the library has open for a moment must not be inherited.
 */
#include "victim.h"
#include <dirent.h>
#include <pthread.h>
#include <sys/wait.h>

#define SIZE  (4 * MIB)
#define TIMES 600

static int fd, before;
static volatile int over;

static void *reader(void *arg)
{
	uint8_t buf[4096];

	(void)arg;
	while (!over) {
		make_cold(fd);
		for (off_t at = SIZE - 4096; at >= 0 && !over; at -= 4096)
			CHECK(pread(fd, buf, sizeof(buf), at) == (ssize_t)sizeof(buf));
	}
	return NULL;
}

static int strays(void)
{
	int found = 0;

	for (int i = 3; i < 32; i++)
		found += syscall(SYS_fcntl, i, F_GETFD, 0L) >= 0;
	return found;
}

int main(void)
{
	pthread_t other;
	int with = 0;

	pattern_file("data", SIZE, 1);
	fd = open("data", O_RDONLY);
	CHECK(fd >= 0);
	before = strays();
	CHECK(pthread_create(&other, NULL, reader, NULL) == 0);
	for (int i = 0; i < TIMES; i++) {
		int status;
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (pid == 0)
			_exit(strays() != before);
		CHECK(waitpid(pid, &status, 0) == pid);
		with += status != 0;
	}
	over = 1;
	CHECK(pthread_join(other, NULL) == 0);
	printf("%d children with a stray descriptor\n", with);
	return 0;
}
