/*
 * What a library in front of read and pread costs where there is nothing to gain: nanoseconds
 * a call on a cached file, and microseconds at the start of a program.
 *
 *	cost reads FILE [CALLS]		a line a case: name and ns a call
 *	cost start RUNS LIBRARY [COMMAND]	/bin/true bare, with LIBRARY, by COMMAND
 *
 * `reads` measures whatever it was started with, so the caller runs it with and without
 * LD_PRELOAD, in turn. Each figure is the best of several rounds: noise only ever adds.
 *
 * A case is CALL-BYTES-STATE-THREADS. In the state `stream` the reads run forward from a
 * beginning that is not cached, so that whoever watches sees a stream that waits; what is timed
 * comes after that and is cached. In `dormant` nothing ever waits: preads all over the file,
 * or reads that start again at its beginning.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FILE_BYTES (64l << 20)
#define COLD_BYTES (16l << 10) /* of the beginning, for `stream` */
#define ROUNDS	   25
#define MOST_RUNS  10000

struct load {
	int fd;
	bool is_pread, is_stream;
	size_t bytes;
	long calls; /* timed, a thread */
	off_t from; /* where the thread's part of the file begins */
	off_t part; /* bytes in it */
	double ns; /* result: per call */
	int *complain; /* set when a read fails */
};

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* A permutation-like walk without a multiplication that would show in the figures. */
static off_t next_offset(const struct load *l, off_t offset)
{
	offset += l->is_stream ? (off_t)l->bytes : 1031 * 4096;
	if (offset >= l->from + l->part - 4096)
		offset -= l->part - 4096;
	return offset < l->from ? l->from : offset;
}

static void preads(struct load *l, long calls, off_t *offset)
{
	char buffer[4096];

	for (long i = 0; i < calls; i++) {
		if (pread(l->fd, buffer, l->bytes, *offset) != (ssize_t)l->bytes)
			*l->complain = 1;
		*offset = next_offset(l, *offset);
	}
}

static void reads(struct load *l, long calls)
{
	char buffer[4096];

	for (long i = 0; i < calls; i++) {
		ssize_t got = read(l->fd, buffer, l->bytes);

		if (got < 0)
			*l->complain = 1;
		else if (got == 0 && lseek(l->fd, 0, SEEK_SET) < 0)
			*l->complain = 1;
	}
}

static void *run(void *argument)
{
	struct load *l = argument;
	long first = l->is_stream ? COLD_BYTES / (long)l->bytes : 1000;
	off_t offset = l->from;
	double start;

	if (l->is_pread) {
		preads(l, first, &offset);
		start = now_ns();
		preads(l, l->calls, &offset);
	} else {
		reads(l, first);
		start = now_ns();
		reads(l, l->calls);
	}
	l->ns = (now_ns() - start) / (double)l->calls;
	return NULL;
}

/* One round on a fresh descriptor; the mean of the threads. */
static double one_round(const char *path, struct load load, int threads)
{
	struct load loads[2];
	pthread_t ids[2];
	double sum = 0;

	load.fd = open(path, O_RDONLY);
	if (load.fd < 0) {
		perror(path);
		exit(1);
	}
	load.part = FILE_BYTES / threads;
	for (int i = 0; i < threads; i++) {
		loads[i] = load;
		loads[i].from = load.is_pread ? i * load.part : 0;
		if (load.is_stream)
			posix_fadvise(load.fd, loads[i].from, COLD_BYTES, POSIX_FADV_DONTNEED);
	}
	for (int i = 1; i < threads; i++)
		pthread_create(&ids[i], NULL, run, &loads[i]);
	run(&loads[0]);
	for (int i = 1; i < threads; i++)
		pthread_join(ids[i], NULL);
	for (int i = 0; i < threads; i++)
		sum += loads[i].ns;
	close(load.fd);
	return sum / threads;
}

static void one_case(const char *path, struct load load, int threads)
{
	double best = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double ns = one_round(path, load, threads);

		if (i == 0 || ns < best)
			best = ns;
	}
	printf("%s-%zu-%s-%d %.1f\n", load.is_pread ? "pread" : "read", load.bytes,
	       load.is_stream ? "stream" : "dormant", threads, best);
}

/* Written, on the disk (dirty pages cannot be dropped) and in the cache. */
static void make_file(const char *path)
{
	static char block[1 << 20];
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	for (long done = 0; fd >= 0 && done < FILE_BYTES; done += (long)sizeof(block)) {
		memset(block, (int)(done >> 20), sizeof(block));
		if (write(fd, block, sizeof(block)) != (ssize_t)sizeof(block)) {
			close(fd);
			fd = -1;
		}
	}
	if (fd < 0 || fsync(fd) < 0) {
		perror(path);
		exit(1);
	}
	close(fd);
}

static int measure_reads(const char *path, long calls)
{
	static const size_t sizes[] = {1, 4096};
	int complain = 0;

	make_file(path);
	for (int kind = 0; kind < 8; kind++) {
		struct load load = {
			.is_pread = kind & 1,
			.is_stream = kind & 2,
			.bytes = sizes[kind >> 2],
			.calls = calls,
			.complain = &complain,
		};

		one_case(path, load, 1);
		one_case(path, load, 2);
	}
	unlink(path);
	if (complain)
		fprintf(stderr, "cost: a read failed\n");
	return complain;
}

static double spawn_us(char **argv, char **environment)
{
	double start = now_ns();
	int status;
	pid_t pid;

	errno = posix_spawn(&pid, argv[0], NULL, NULL, argv, environment);
	if (errno || waitpid(pid, &status, 0) < 0 || status) {
		fprintf(stderr, "cost: %s: %s\n", argv[0], errno ? strerror(errno) : "failed");
		exit(1);
	}
	return (now_ns() - start) / 1e3;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* In turn, so that a machine that gets slower or faster does so for all of them. */
static int measure_start(int runs, const char *library, char *command)
{
	static double us[3][MOST_RUNS];
	static const char *const names[] = {"bare", "library", "command"};
	char program[] = "/bin/true", end[] = "--", preload[4200];
	char *bare[] = {NULL}, *loaded[] = {preload, NULL};
	char *plain[] = {program, NULL}, *wrapped[] = {command, end, program, NULL};

	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", library);
	for (int i = 0; i < runs; i++) {
		us[0][i] = spawn_us(plain, bare);
		us[1][i] = spawn_us(plain, loaded);
		if (command)
			us[2][i] = spawn_us(wrapped, bare);
	}
	for (int i = 0; i < (command ? 3 : 2); i++) {
		qsort(us[i], (size_t)runs, sizeof(us[i][0]), ascending);
		printf("start-%s-us %.1f\n", names[i], us[i][runs / 2]);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 3 && argc <= 4 && strcmp(argv[1], "reads") == 0) {
		long calls = argc > 3 ? strtol(argv[3], NULL, 10) : 20000;

		if (calls > 0)
			return measure_reads(argv[2], calls);
	} else if (argc >= 4 && argc <= 5 && strcmp(argv[1], "start") == 0) {
		long runs = strtol(argv[2], NULL, 10);

		if (runs > 0 && runs <= MOST_RUNS)
			return measure_start((int)runs, argv[3], argc > 4 ? argv[4] : NULL);
	}
	fputs("usage: cost reads FILE [CALLS]\n"
	      "       cost start RUNS LIBRARY [COMMAND]    (RUNS at most 10000)\n",
	      stderr);
	return 2;
}
