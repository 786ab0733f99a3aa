/*
 * patterns KIND FILE: reads a file in one of the ways that the library knows by name, so that
 * patterns.sh and modes.sh can ask what it made of it. Its own check is that the data is the
 * file's: the reads' hash is printed, in the order of the offsets.
 */
#include "victim.h"
#include <pthread.h>

#define BLOCK	(4 * KIB)
#define BIG	(32 * KIB)
#define THREADS 8
#define WINDOW	16

static int fd;
static off_t size;
static uint64_t sum;
static off_t order[4096];
static int orders, taken;

static void take(off_t at, size_t n)
{
	static __thread uint8_t buf[BIG];
	uint64_t h = 14695981039346656037u ^ (uint64_t)at;

	CHECK(pread(fd, buf, n, at) == (ssize_t)n);
	for (size_t i = 0; i < n; i += 32)
		h = (h ^ buf[i]) * 1099511628211u;
	__atomic_add_fetch(&sum, h, __ATOMIC_RELAXED);
}

static void consecutive(void)
{
	for (off_t at = 0; at + BLOCK <= size; at += BLOCK)
		take(at, BLOCK);
}

static void backward(void)
{
	for (off_t at = size - BLOCK; at >= 0; at -= BLOCK)
		take(at, BLOCK);
}

static void strided(void)
{
	for (off_t at = 0; at + BLOCK <= size; at += 64 * KIB)
		take(at, BLOCK);
}

static void sparse(void)
{
	for (off_t at = 0; at + BLOCK <= size; at += BLOCK)
		if (at / (8 * KIB) % 2 == 0)
			take(at, BLOCK);
}

static void interleaved(void)
{
	for (off_t at = 0; at + BLOCK <= size / 2; at += BLOCK) {
		take(at, BLOCK);
		take(size / 2 + at, BLOCK);
	}
}

static void at_random(void)
{
	uint64_t random = 11;

	for (int i = 0; i < 500; i++)
		take((off_t)(prng(&random) % (size / BLOCK)) * BLOCK, BLOCK);
}

static void *worker(void *arg)
{
	int i;

	(void)arg;
	while ((i = __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED)) < orders)
		take(order[i], BIG);
	return NULL;
}

/* A server's threads: each takes the next request, and requests are shuffled near by. */
static void reordered(void)
{
	pthread_t threads[THREADS];
	uint64_t random = 5;

	for (off_t at = 0; at + BIG <= size && orders < (int)LEN(order); at += BIG)
		order[orders++] = at;
	for (int start = 0; start + WINDOW <= orders; start += WINDOW)
		for (uint32_t i = WINDOW - 1; i > 0; i--) {
			off_t *a = &order[start + (int)i];
			off_t *b = &order[start + (int)(prng(&random) % (i + 1))];
			off_t t = *a;

			*a = *b;
			*b = t;
		}
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, worker, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kinds[] = {{"consecutive", consecutive}, {"backward", backward},
		     {"strided", strided},	   {"sparse", sparse},
		     {"interleaved", interleaved}, {"random", at_random},
		     {"reordered", reordered}};

	if (argc != 3)
		return 2;
	CHECK((fd = open(argv[2], O_RDONLY)) >= 0);
	size = lseek(fd, 0, SEEK_END);
	for (size_t i = 0; i < LEN(kinds); i++)
		if (!strcmp(argv[1], kinds[i].name))
			kinds[i].run();
	printf("%s %016llx\n", argv[1], (unsigned long long)sum);
	return sum ? 0 : 2;
}
