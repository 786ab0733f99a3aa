/*
 * Threads read without a pause while the main thread forks, again and again. A child has only
 * the forking thread: a lock that another thread held at that moment is never released there,
 * and a child that waits for it hangs. Children also must not see half-written state.
 */
#include "victim.h"
#include <pthread.h>
#include <sys/wait.h>

#define SIZE	(2 * MIB)
#define THREADS 4
#define FORKS	300

static int shared;
static volatile int stop;

static void *reader(void *arg)
{
	uint32_t seed = (uint32_t)(uintptr_t)arg;
	uint64_t random = seed;
	char name[32];
	uint8_t buf[4096];
	int fd;

	snprintf(name, sizeof(name), "data%u", seed);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		make_cold(fd);
		for (off_t at = SIZE - 4096; at >= 0; at -= 4096) {
			CHECK(pread(fd, buf, sizeof(buf), at) == (ssize_t)sizeof(buf));
			CHECK(pattern_ok(buf, 256, (uint64_t)at, seed));
			at -= prng(&random) % 2 ? 0 : 4096;
			if (__atomic_load_n(&stop, __ATOMIC_RELAXED))
				break;
			CHECK(pread(shared, buf, 512, at < 0 ? 0 : at) == 512);
			CHECK(pattern_ok(buf, 512, at < 0 ? 0 : (uint64_t)at, 1));
		}
	}
	close(fd);
	return NULL;
}

/* 0 if all is well; the number tells which step was not. */
static int child(int round)
{
	uint8_t buf[4096];
	int fd = open("data2", O_RDONLY);

	if (fd < 0)
		return 10;
	for (int i = 0; i < 16; i++) {
		if (read(fd, buf, sizeof(buf)) != (ssize_t)sizeof(buf))
			return 11;
		if (!pattern_ok(buf, sizeof(buf), (uint64_t)i * 4096, 2))
			return 12;
		if (pread(shared, buf, 700, (round * 16 + i) * 300L) != 700)
			return 13;
		if (!pattern_ok(buf, 700, (uint64_t)(round * 16 + i) * 300, 1))
			return 14;
	}
	return close(fd) == 0 ? 0 : 15;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (unsigned i = 1; i <= THREADS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "data%u", i);
		pattern_file(name, SIZE, i);
	}
	shared = open("data1", O_RDONLY);
	CHECK(shared >= 0);
	for (uintptr_t i = 1; i <= THREADS; i++)
		CHECK(pthread_create(&threads[i - 1], NULL, reader, (void *)i) == 0);
	for (int i = 0; i < FORKS; i++) {
		int status;
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (pid == 0)
			_exit(child(i));
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK(status == 0);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	printf("%d children read what they should\n", FORKS);
	return 0;
}
