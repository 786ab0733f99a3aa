/*
 * calltrace SEED COUNT THREADS: a long random sequence of calls, good and bad, with a line for
 * each: what it returned, errno, where the descriptor then stands (asked of the kernel by a raw
 * call) and a hash of the data. calltrace.sh compares the lines of a run alone with those of a
 * run under the library, byte for byte: any difference at all is a broken promise.
 */
#include "victim.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define SLOTS	   12
#define BUF	   (40 * KIB)
#define MAX_TRACES 8

struct state {
	FILE *out;
	uint64_t random;
	unsigned thread;
	bool show_fds; /* numbers are only certain with a single thread */
	int fd[SLOTS];
	uint8_t *buf;
	uint8_t *forbidden;
	size_t filled;
};

static uint32_t below(struct state *s, uint32_t n)
{
	return prng(&s->random) % n;
}

static uint32_t hash(const uint8_t *p, size_t n)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 16777619u;
	return h;
}

static void say(struct state *s, const char *op, int slot, long ret)
{
	int err = errno;
	long at = syscall(SYS_lseek, s->fd[slot], 0L, SEEK_CUR);

	fprintf(s->out, "%s s%d", op, slot);
	if (s->show_fds)
		fprintf(s->out, " fd%d", s->fd[slot]);
	fprintf(s->out, " = %ld errno %d at %ld", ret, err, at);
	if (ret > 0 && s->filled)
		fprintf(s->out, " hash %08x", hash(s->buf, s->filled));
	fputc('\n', s->out);
	s->filled = 0;
}

static size_t some_length(struct state *s)
{
	static const size_t lengths[] = {0, 1, 100, 511, 512, 4095, 4096, 4097, 10000, 32768};

	return lengths[below(s, LEN(lengths))];
}

static off_t some_offset(struct state *s)
{
	static const off_t odd[] = {-1, 0, 1, 4095, 300 * KIB, 1L << 40, INT64_MAX, INT64_MIN};

	return below(s, 6) ? (off_t)below(s, 256 * KIB) : odd[below(s, LEN(odd))];
}

static void file_name(struct state *s, char *name, size_t n)
{
	snprintf(name, n, "t%u-f%u", s->thread, below(s, 4));
}

static void do_read(struct state *s, int slot)
{
	size_t n = some_length(s);
	uint8_t *buf = below(s, 20) ? s->buf : s->forbidden - below(s, 2) * 4096;
	long ret = read(s->fd[slot], buf, n);

	s->filled = ret > 0 && buf == s->buf ? (size_t)ret : 0;
	say(s, "read", slot, ret);
}

static void do_pread(struct state *s, int slot)
{
	size_t n = some_length(s);
	off_t at = some_offset(s);
	uint8_t *buf = below(s, 20) ? s->buf : s->forbidden;
	long ret = pread(s->fd[slot], buf, n, at);

	s->filled = ret > 0 && buf == s->buf ? (size_t)ret : 0;
	say(s, "pread", slot, ret);
}

static void do_vector(struct state *s, int slot)
{
	static const int counts[] = {0, 1, 2, 3, 3, 3, 3, -1, 2000};
	struct iovec iov[3] = {{s->buf, some_length(s) % 9000},
			       {s->buf + 9000, some_length(s) % 9000},
			       {s->buf + 18000, some_length(s) % 9000}};
	int count = counts[below(s, LEN(counts))];
	off_t at = some_offset(s);
	long ret;

	memset(s->buf, 0, 27000);
	if (below(s, 20) == 0)
		iov[1].iov_base = s->forbidden;
	switch (below(s, 4)) {
	case 0:
		ret = readv(s->fd[slot], iov, count);
		break;
	case 1:
		ret = preadv(s->fd[slot], iov, count, at);
		break;
	case 2:
		/* -1 reads at the descriptor's position, and moves it. */
		ret = preadv2(s->fd[slot], iov, count, below(s, 3) ? at : -1, 0);
		break;
	default:
		ret = preadv2(s->fd[slot], iov, count, at, 0x40000000);
		break;
	}
	s->filled = ret > 0 ? 27000 : 0;
	say(s, "vector", slot, ret);
}

static void do_seek(struct state *s, int slot)
{
	static const int whence[] = {SEEK_SET, SEEK_SET, SEEK_CUR, SEEK_END, SEEK_DATA, 77};
	off_t by = below(s, 3) ? (off_t)below(s, 200 * KIB) : -(off_t)below(s, 5000);

	say(s, "lseek", slot, lseek(s->fd[slot], by, whence[below(s, LEN(whence))]));
}

static void put(struct state *s, int slot, int fd)
{
	int err = errno;

	if (fd >= 0 && s->fd[slot] >= 0)
		syscall(SYS_close, s->fd[slot]);
	if (fd >= 0)
		s->fd[slot] = fd;
	errno = err;
}

static int open_some(struct state *s)
{
	char name[32];
	char path[48];
	int dir, fd, err;

	file_name(s, name, sizeof(name));
	switch (below(s, 14)) {
	case 0:
		return open("missing", O_RDONLY);
	case 1:
		return open(name, O_RDONLY | O_DIRECTORY);
	case 2:
		return open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	case 3:
		return open(".", O_RDONLY);
	case 4:
		return open(name, O_PATH);
	case 5:
		return open(name, O_WRONLY);
	case 6:
		return open(".", O_RDWR | O_TMPFILE, 0640);
	case 7:
		snprintf(path, sizeof(path), "t%u-new%u", s->thread, below(s, 2));
		return below(s, 2) ? creat(path, 0604) : open(path, O_RDWR | O_CREAT, 0640);
	case 8:
		dir = open(".", O_PATH | O_DIRECTORY);
		fd = openat(dir, name, O_RDWR | O_CLOEXEC);
		err = errno;
		close(dir);
		errno = err;
		return fd;
	case 9:
		return open(name, O_RDWR | O_APPEND);
	default:
		return open(name, below(s, 2) ? O_RDWR : O_RDONLY);
	}
}

static void do_open(struct state *s, int slot)
{
	struct stat st = {0};
	int fd = open_some(s);
	int err = errno;
	bool ok = fd >= 0 && syscall(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH) == 0;

	fprintf(s->out, "mode %o flags %lx fdflags %ld; ", st.st_mode,
		ok ? syscall(SYS_fcntl, fd, F_GETFL, 0) : 0,
		syscall(SYS_fcntl, fd, F_GETFD, 0));
	put(s, slot, fd);
	errno = err;
	say(s, "open", slot, fd < 0 ? -1 : 0);
}

static void do_dup(struct state *s, int slot)
{
	int to = (int)below(s, SLOTS);
	int ret;

	switch (below(s, 5)) {
	case 0:
		ret = dup2(s->fd[slot], s->fd[to]);
		break;
	case 1:
		ret = dup3(s->fd[slot], s->fd[to], below(s, 2) ? O_CLOEXEC : 0x77);
		break;
	case 2:
		ret = fcntl(s->fd[slot], F_DUPFD, 50);
		put(s, to, ret);
		break;
	case 3:
		ret = fcntl(s->fd[slot], F_DUPFD_CLOEXEC, 0);
		put(s, to, ret);
		break;
	default:
		ret = dup(s->fd[slot]);
		put(s, to, ret);
		break;
	}
	say(s, "dup", slot, s->show_fds ? ret : ret < 0 ? -1 : 0);
	say(s, "  to", to, 0);
}

static void do_fcntl(struct state *s, int slot)
{
	static const int cmds[] = {F_GETFD, F_GETFL, F_GETPIPE_SZ, F_DUPFD, 12345, F_GET_SEALS};
	int cmd = cmds[below(s, LEN(cmds))];

	say(s, "fcntl", slot, fcntl(s->fd[slot], cmd, cmd == F_DUPFD ? -1 : 0));
}

static void do_close(struct state *s, int slot)
{
	long ret = close(s->fd[slot]);

	/* With one thread a stale number may stay, for EBADF; else it could be another's. */
	if (!s->show_fds || below(s, 8))
		s->fd[slot] = below(s, 2) ? -1 : 1000000;
	say(s, "close", slot, ret);
	if (s->show_fds && below(s, 8) == 0)
		say(s, "close again", slot, close(s->fd[slot]));
}

static void do_change(struct state *s, int slot)
{
	pattern_fill(s->buf, 5000, below(s, 1000), below(s, 9));
	if (below(s, 3) == 0)
		say(s, "ftruncate", slot, ftruncate(s->fd[slot], below(s, 300 * KIB)));
	else if (below(s, 2))
		say(s, "write", slot, write(s->fd[slot], s->buf, some_length(s) % 5000));
	else
		say(s, "pwrite", slot,
		    pwrite(s->fd[slot], s->buf, some_length(s) % 5000, below(s, 200 * KIB)));
}

static void do_special(struct state *s, int slot)
{
	int ends[2];

	if (below(s, 2)) {
		do_open(s, slot);
		return;
	}
	if (below(s, 2)) {
		if (pipe2(ends, O_NONBLOCK) != 0)
			return;
	} else if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0) {
		return;
	}
	if (below(s, 2))
		CHECK(write(ends[1], "some text in between", 20) == 20);
	put(s, slot, ends[0]);
	put(s, (slot + 1) % SLOTS, ends[1]);
	say(s, "pair", slot, 0);
	if (below(s, 12) == 0 && s->show_fds)
		say(s, "close_range", slot,
		    close_range((unsigned)s->fd[slot], (unsigned)s->fd[slot],
				(int)below(s, 2) * 64));
}

static void run(struct state *s, unsigned long count)
{
	static void (*const ops[])(struct state *, int) = {
		do_read,  do_read,   do_read,	do_read,  do_pread,  do_pread,
		do_pread, do_vector, do_vector, do_seek,  do_seek,   do_open,
		do_open,  do_dup,    do_fcntl,	do_close, do_change, do_special};

	for (unsigned long i = 0; i < count; i++) {
		int slot = (int)below(s, SLOTS);

		if (i % 500 == 0)
			make_cold(s->fd[slot]);
		/* Successful calls must leave this alone as well. */
		errno = (int)(1000 + i % 7);
		if (s->fd[slot] < 0 && below(s, 3))
			do_open(s, slot);
		ops[below(s, LEN(ops))](s, slot);
	}
}

static void prepare(struct state *s, unsigned thread, unsigned long seed, bool single)
{
	char name[32];

	s->thread = thread;
	s->random = seed * 1000 + thread;
	s->show_fds = single;
	s->out = tmpfile();
	CHECK(s->out);
	for (int i = 0; i < SLOTS; i++)
		s->fd[i] = -1;
	for (unsigned i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "t%u-f%u", thread, i);
		pattern_file(name, (i * 97 + 1) * KIB + i * 77, i);
	}
	s->buf = mmap(NULL, BUF + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	CHECK(s->buf != MAP_FAILED);
	s->forbidden = s->buf + BUF;
	CHECK(mprotect(s->forbidden, 4096, PROT_NONE) == 0);
}

static unsigned long count = 1000;

static void *thread_main(void *arg)
{
	run(arg, count);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct state states[MAX_TRACES];
	pthread_t threads[MAX_TRACES];
	unsigned long seed = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	unsigned n = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 1;
	int c;

	count = argc > 2 ? strtoul(argv[2], NULL, 10) : count;
	CHECK(n >= 1 && n <= MAX_TRACES);
	umask(022);
	signal(SIGPIPE, SIG_IGN);
	for (unsigned i = 0; i < n; i++)
		prepare(&states[i], i, seed, n == 1);
	if (n == 1)
		run(&states[0], count);
	for (unsigned i = 0; n > 1 && i < n; i++)
		CHECK(pthread_create(&threads[i], NULL, thread_main, &states[i]) == 0);
	for (unsigned i = 0; n > 1 && i < n; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	for (unsigned i = 0; i < n; i++) {
		rewind(states[i].out);
		while ((c = getc(states[i].out)) != EOF)
			putchar(c);
	}
	return 0;
}
