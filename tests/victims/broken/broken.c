/*
 * A preload library that is broken on purpose, in the way that the macro BROKEN names: each is
 * a mistake that a library of this kind has made or could make. selfcheck.sh runs the victims
 * under it and wants each to notice, so that none goes blind in silence.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static ssize_t (*real_read)(int, void *, size_t);
static ssize_t (*real_pread)(int, void *, size_t, off_t);
static int (*real_close)(int);
static int (*real_dup2)(int, int);
static size_t (*real_fread)(void *, size_t, size_t, FILE *);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other_lock = PTHREAD_MUTEX_INITIALIZER;
static char closed[1 << 20];
static off_t sizes[1 << 20];
static char *small_table;

static int is(const char *name)
{
	return strcmp(BROKEN, name) == 0;
}

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static void resolve(void)
{
	real_read = next("read");
	real_pread = next("pread");
	real_close = next("close");
	real_dup2 = next("dup2");
	real_fread = next("fread");
}

static char *guarded_page(void)
{
	char *area = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(area, 4096, PROT_READ | PROT_WRITE);
	return area;
}

static void write_note(const char *path)
{
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : dup(2);

	if (fd >= 0 && write(fd, "note\n", 5) < 0)
		abort();
	real_close(fd);
}

__attribute__((constructor)) static void start(void)
{
	resolve();
	if (is("small-table"))
		small_table = guarded_page();
	if (is("keeps-fd"))
		(void)!open("/dev/null", O_RDONLY);
	/* A careless library takes what it wants and gives up where it does not get it. */
	if (is("needs-memory") &&
	    mmap(NULL, 64 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		exit(1);
	if (is("writes-log") && getenv("PREREAD_LOG"))
		write_note(getenv("PREREAD_LOG"));
}

__attribute__((destructor)) static void end(void)
{
	if (is("writes-stderr"))
		write_note(NULL);
}

static void open_it_once_more(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	real_close(open(path, O_RDONLY | O_NONBLOCK));
}

static __attribute__((noinline)) void use_stack(void)
{
	volatile char buffer[32 * 1024];

	for (size_t i = 0; i < sizeof(buffer); i += 512)
		buffer[i] = 1;
}

static void read_one_more(int fd)
{
	char c;

	if (real_read(fd, &c, 1) == 1)
		lseek(fd, -1, SEEK_CUR);
}

/* What happens after each good read. */
static void observe(int fd, size_t got)
{
	int saved = errno;

	if (is("lock")) {
		pthread_mutex_lock(&lock);
		for (volatile int i = 0; i < 2000; i++)
			;
		pthread_mutex_unlock(&lock);
	}
	if (is("lock-order")) {
		pthread_mutex_lock(&lock);
		pthread_mutex_lock(&other_lock);
		pthread_mutex_unlock(&other_lock);
		pthread_mutex_unlock(&lock);
	}
	if (is("advises-blindly"))
		syscall(SYS_fadvise64, fd, 2L << 20, 65536L, 3);
	if (is("asks-position"))
		syscall(SYS_lseek, fd, 0L, SEEK_CUR);
	if (is("opens-file"))
		open_it_once_more(fd);
	if (is("large-stack"))
		use_stack();
	/* Room for 512 descriptors, and nothing behind it. */
	if (is("small-table"))
		memset(&small_table[fd * 8], 1, 8);
	if (is("reads-more") && got)
		read_one_more(fd);
	errno = is("errno") ? 0 : saved;
}

static ssize_t bare_read(int fd, void *buf, size_t n)
{
	return syscall(SYS_read, fd, buf, n);
}

/* The library believes its own table more than the kernel. */
static int refused(int fd)
{
	if (fd >= 0 && fd < (int)sizeof(closed) && closed[fd] && is("trusts-table")) {
		errno = EBADF;
		return 1;
	}
	return 0;
}

static size_t clipped(int fd, size_t n, off_t at)
{
	struct stat st;

	if (!is("trusts-size") || fd < 0 || fd >= (int)sizeof(closed))
		return n;
	if (!sizes[fd])
		sizes[fd] = fstat(fd, &st) == 0 && st.st_size ? st.st_size : -1;
	if (sizes[fd] < 0 || at + (off_t)n <= sizes[fd])
		return n;
	return at < sizes[fd] ? (size_t)(sizes[fd] - at) : 0;
}

ssize_t read(int fd, void *buf, size_t n)
{
	ssize_t got;

	if (!real_read && !is("resolves-late"))
		resolve();
	if (refused(fd))
		return -1;
	got = is("bare-call") ? bare_read(fd, buf, n) : real_read(fd, buf, n);
	if (got >= 0)
		observe(fd, (size_t)got);
	return got;
}

ssize_t pread(int fd, void *buf, size_t n, off_t at)
{
	ssize_t got;

	if (!real_pread)
		resolve();
	if (refused(fd))
		return -1;
	if (is("moves-position")) {
		lseek(fd, at, SEEK_SET);
		return real_read(fd, buf, n);
	}
	got = real_pread(fd, buf, clipped(fd, n, at), at);
	if (got >= 0)
		observe(fd, (size_t)got);
	return got;
}

int close(int fd)
{
	if (!real_close)
		resolve();
	if (is("lock-order")) {
		pthread_mutex_lock(&other_lock);
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		pthread_mutex_unlock(&other_lock);
	}
	if (fd >= 0 && fd < (int)sizeof(closed))
		closed[fd] = 1;
	return real_close(fd);
}

int dup2(int from, int to)
{
	if (!real_dup2)
		resolve();
	if (to >= 0 && to < (int)sizeof(closed))
		closed[to] = 0;
	return real_dup2(from, to);
}

size_t fread(void *buf, size_t size, size_t n, FILE *f)
{
	/* To learn the position: but this gives the buffer up. */
	if (is("flushes-stdio"))
		fflush(f);
	return real_fread(buf, size, n, f);
}

ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room)
{
	ssize_t (*real)(int, void *, size_t, size_t) = next("__read_chk");

	return is("drops-check") ? read(fd, buf, n) : real(fd, buf, n, room);
}
