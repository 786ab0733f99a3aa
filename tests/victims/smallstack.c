/*
 * Threads on the smallest stack there may be, and a handler on the smallest alternate stack,
 * read on cold pages. A library that formats its log line in a buffer of a page or two on the
 * stack, on top of the program's own frames, runs over the end of it.
 */
#include "victim.h"
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#define SIZE (4 * MIB)

static int fd;
static volatile sig_atomic_t handled;

static void read_backward(off_t from, int blocks)
{
	/* Static: the stack is the library's to use. */
	static __thread uint8_t buf[512];

	for (int i = 1; i <= blocks; i++) {
		CHECK(pread(fd, buf, sizeof(buf), from - i * 512L) == (ssize_t)sizeof(buf));
		CHECK(pattern_ok(buf, sizeof(buf), (uint64_t)(from - i * 512L), 1));
	}
}

static void *on_small_stack(void *arg)
{
	(void)arg;
	read_backward(SIZE, 4096);
	return NULL;
}

static void handler(int sig)
{
	(void)sig;
	read_backward(SIZE / 2, 2048);
	handled = 1;
}

/* A guard page below it turns an overrun into a crash. */
static uint8_t *guarded(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *area;

	size = (size + page - 1) / page * page;
	area = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	CHECK(area != MAP_FAILED);
	CHECK(mprotect(area, page, PROT_NONE) == 0);
	return area + page;
}

int main(void)
{
	struct sigaction act = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	size_t size = (size_t)sysconf(_SC_MINSIGSTKSZ) + 4096;
	stack_t alternate = {.ss_sp = guarded(size), .ss_size = size};
	pthread_attr_t attr;
	pthread_t thread;

	pattern_file("data", SIZE, 1);
	CHECK((fd = open("data", O_RDONLY)) >= 0);
	CHECK(pthread_attr_init(&attr) == 0);
	CHECK(pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN) == 0);
	make_cold(fd);
	CHECK(pthread_create(&thread, &attr, on_small_stack, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(sigaltstack(&alternate, NULL) == 0);
	CHECK(sigaction(SIGUSR1, &act, NULL) == 0);
	make_cold(fd);
	CHECK(raise(SIGUSR1) == 0 && handled);
	puts("stacks large enough");
	return 0;
}
