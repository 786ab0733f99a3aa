/*
 * Ten thousand descriptors: a table of fixed size overflows, one that grows by realloc moves
 * under a reader. Then a limit so low that nothing more can be opened: a library that needs a
 * descriptor of its own changes what open answers.
 */
#include "victim.h"
#include <sys/resource.h>

#define FDS   10000
#define FILES 200
#define SIZE  (32 * KIB)

static int fds[FDS];

static int raise_limit(void)
{
	struct rlimit limit;
	int fit;

	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	if (limit.rlim_cur < FDS + 100) {
		limit.rlim_cur = FDS + 100;
		if (limit.rlim_max < limit.rlim_cur)
			limit.rlim_max = limit.rlim_cur;
		if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
			getrlimit(RLIMIT_NOFILE, &limit);
			limit.rlim_cur = limit.rlim_max;
			CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
		}
	}
	fit = limit.rlim_cur > FDS + 100 ? FDS : (int)limit.rlim_cur - 100;
	return fit < FDS ? fit : FDS;
}

static void read_all(int n)
{
	uint8_t buf[1000];

	for (int block = SIZE / 1000 - 1; block >= 0; block -= 7)
		for (int i = 0; i < n; i++) {
			CHECK(pread(fds[i], buf, 1000, block * 1000L) == 1000);
			CHECK(pattern_ok(buf, 64, (uint64_t)block * 1000,
					 (uint32_t)(i % FILES)));
		}
	for (int i = 0; i < n; i++) {
		CHECK(read(fds[i], buf, 100) == 100);
		CHECK(lseek(fds[i], 0, SEEK_CUR) == 100);
	}
}

static void dup_some(int n)
{
	uint8_t buf[100];

	for (int i = 0; i + 10 < n; i += 10) {
		int next = i + 10;

		CHECK(dup2(fds[next], fds[i]) == fds[i]);
		CHECK(pread(fds[i], buf, 100, 200) == 100);
		CHECK(pattern_ok(buf, 100, 200, (uint32_t)(next % FILES)));
	}
}

static void tiny_limit(void)
{
	struct rlimit tiny = {5, 5};
	uint8_t buf[4096];
	int fd;

	closefrom(3);
	CHECK(setrlimit(RLIMIT_NOFILE, &tiny) == 0);
	CHECK(open("f0", O_RDONLY) == 3);
	CHECK((fd = open("f1", O_RDONLY)) == 4);
	CHECK(open("f2", O_RDONLY) == -1 && errno == EMFILE);
	CHECK(dup(3) == -1 && errno == EMFILE);
	CHECK(fopen("f2", "r") == NULL && errno == EMFILE);
	CHECK(fcntl(3, F_DUPFD, 5) == -1 && errno == EINVAL);
	make_cold(fd);
	for (off_t at = SIZE - 4096; at >= 0; at -= 4096) {
		CHECK(pread(fd, buf, sizeof(buf), at) == (ssize_t)sizeof(buf));
		CHECK(pattern_ok(buf, sizeof(buf), (uint64_t)at, 1));
	}
	CHECK(open("f2", O_RDONLY) == -1 && errno == EMFILE);
}

int main(void)
{
	char name[16];
	int n = raise_limit();

	for (uint32_t i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		pattern_file(name, SIZE, i);
	}
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "f%d", i % FILES);
		CHECK((fds[i] = open(name, O_RDONLY)) >= 0);
	}
	read_all(n);
	dup_some(n);
	for (int i = 0; i < n; i++)
		CHECK(close(fds[i]) == 0);
	CHECK(close(fds[0]) == -1 && errno == EBADF);
	tiny_limit();
	printf("%d descriptors\n", n);
	return 0;
}
