/*
 * 64 threads read at random in 200 files, open and close them and share descriptors, with the
 * table of files and the streams turning over all the time. For deadlocks, torn entries and
 * descriptors that change hands while another thread looks them up.
 */
#include "victim.h"
#include <pthread.h>

#define THREADS 64
#define FILES	200
#define SIZE	(128 * KIB)
#define READS	3000

static int shared[FILES];

static void name_of(char *name, size_t n, uint32_t i)
{
	snprintf(name, n, "f%u", i);
}

static void own_descriptor(uint32_t file, uint64_t *random)
{
	uint8_t buf[2048];
	char name[16];
	off_t at = prng(random) % (SIZE / 2);
	int fd, copy;

	name_of(name, sizeof(name), file);
	CHECK((fd = open(name, O_RDONLY | O_CLOEXEC)) >= 0);
	CHECK(lseek(fd, at, SEEK_SET) == at);
	for (int i = 0; i < 8; i++, at += 2048) {
		CHECK(read(fd, buf, sizeof(buf)) == (ssize_t)sizeof(buf));
		CHECK(pattern_ok(buf, 64, (uint64_t)at, file));
	}
	CHECK((copy = dup(fd)) >= 0);
	CHECK(close(fd) == 0);
	CHECK(read(copy, buf, sizeof(buf)) == (ssize_t)sizeof(buf));
	CHECK(pattern_ok(buf, 64, (uint64_t)at, file));
	CHECK(close(copy) == 0);
}

static void *reader(void *arg)
{
	uint64_t random = 1000 + (uintptr_t)arg;
	uint8_t buf[4096];

	for (int i = 0; i < READS; i++) {
		uint32_t file = prng(&random) % FILES;
		off_t at = prng(&random) % (SIZE - 4096);

		CHECK(pread(shared[file], buf, sizeof(buf), at) == (ssize_t)sizeof(buf));
		CHECK(pattern_ok(buf, 64, (uint64_t)at, file));
		if (i % 8 == 0)
			own_descriptor(file, &random);
		if (i % 64 == 0)
			make_cold(shared[file]);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (uint32_t i = 0; i < FILES; i++) {
		char name[16];

		name_of(name, sizeof(name), i);
		pattern_file(name, SIZE, i);
		CHECK((shared[i] = open(name, O_RDONLY | O_CLOEXEC)) >= 0);
	}
	for (uintptr_t i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, reader, (void *)i) == 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	printf("%d reads\n", THREADS * READS);
	return 0;
}
