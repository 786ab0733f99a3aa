/*
 * Threads are cancelled while they are blocked in read, readv and on a file's pread. A library
 * that makes the system call itself instead of calling the C library's function cannot be
 * cancelled, and the join hangs; one without unwind tables aborts; one that makes cancellation
 * points of calls that are none loses a thread in lseek or dup.
 */
#include "victim.h"
#include <pthread.h>
#include <sched.h>
#include <sys/uio.h>

#define ROUNDS 1000

enum how { PIPE_READ, PIPE_READV, FILE_PREAD, FILE_READ, HOWS };

struct job {
	enum how how;
	bool async;
	int pipe;
	int file;
	int started;
	int cleaned;
};

static void cleanup(void *arg)
{
	__atomic_add_fetch(&((struct job *)arg)->cleaned, 1, __ATOMIC_SEQ_CST);
}

static void read_for_ever(struct job *job)
{
	uint8_t buf[512];
	struct iovec parts[2] = {{buf, 100}, {buf + 100, 100}};

	for (off_t at = 0;; at = (at + 4096) % MIB) {
		switch (job->how) {
		case PIPE_READ:
			CHECK(read(job->pipe, buf, sizeof(buf)) < 0);
			break;
		case PIPE_READV:
			CHECK(readv(job->pipe, parts, 2) < 0);
			break;
		case FILE_PREAD:
			CHECK(pread(job->file, buf, sizeof(buf), at) == (ssize_t)sizeof(buf));
			CHECK(pattern_ok(buf, sizeof(buf), (uint64_t)at, 1));
			break;
		default:
			CHECK(read(job->file, buf, sizeof(buf)) >= 0);
			if (at == 0)
				CHECK(lseek(job->file, 0, SEEK_SET) == 0);
			break;
		}
	}
}

static void *victim(void *arg)
{
	struct job *job = arg;

	pthread_cleanup_push(cleanup, job);
	if (job->async)
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	__atomic_store_n(&job->started, 1, __ATOMIC_SEQ_CST);
	read_for_ever(job);
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancel_one(struct job job)
{
	pthread_t thread;
	void *result;

	CHECK(pthread_create(&thread, NULL, victim, &job) == 0);
	while (!__atomic_load_n(&job.started, __ATOMIC_SEQ_CST))
		sched_yield();
	CHECK(pthread_cancel(thread) == 0);
	CHECK(pthread_join(thread, &result) == 0);
	CHECK(result == PTHREAD_CANCELED);
	CHECK(job.cleaned == 1);
}

/* With a cancel pending, only the last call may act on it. */
static void *not_a_point(void *arg)
{
	int *file = arg;
	uint8_t buf[100];

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	CHECK(pthread_cancel(pthread_self()) == 0);
	for (int i = 0; i < 300; i++) {
		CHECK(pread(*file, buf, sizeof(buf), i * 4096L) == (ssize_t)sizeof(buf));
		CHECK(pattern_ok(buf, sizeof(buf), (uint64_t)i * 4096, 1));
	}
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	for (int i = 0; i < 100; i++) {
		int copy = dup(*file);

		CHECK(copy >= 0 && dup2(*file, copy) == copy);
		CHECK(lseek(*file, i, SEEK_SET) == i);
		CHECK(fcntl(copy, F_GETFL) >= 0);
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
		CHECK(close(copy) == 0);
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	}
	file[1] = 1;
	(void)!read(*file, buf, 1);
	CHECK(!"read is a cancellation point");
	return NULL;
}

int main(void)
{
	int ends[2];
	int file[2] = {-1, 0};
	pthread_t thread;
	void *result;

	pattern_file("data", 2 * MIB, 1);
	file[0] = open("data", O_RDONLY);
	CHECK(file[0] >= 0 && pipe(ends) == 0);
	for (int i = 0; i < ROUNDS; i++) {
		struct job job = {.how = (enum how)(i % HOWS), .pipe = ends[0]};

		job.file = file[0];
		job.async = i / HOWS % 2;
		if (i % 10 == 0)
			make_cold(file[0]);
		cancel_one(job);
	}
	CHECK(pthread_create(&thread, NULL, not_a_point, file) == 0);
	CHECK(pthread_join(thread, &result) == 0);
	CHECK(result == PTHREAD_CANCELED && file[1] == 1);
	puts("all cancelled, all cleaned up");
	return 0;
}
