/* state.c - the lock and the arena, going quiet, and fork. */
#include "shim/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "shim/gate.h"
#include "shim/log.h"
#include "shim/proc.h"
#include "shim/real.h"
#include "shim/stats.h"
#include "shim/table.h"

bool prs_live;

/* Until there is a detector, and where every read is to be counted: a table without a quiet
 * interval in it, so that every read trips. */
static struct prd_quiet nothing_quiet[2]; /* as many as a shift of 63 tells apart */
struct prd_front prs_front = {nothing_quiet, 63};

__thread bool prs_inside;

static int lock;
static int busy; /* threads in the slow path */
static pid_t own_pid;
/* This thread took the locks for a fork. Others may fork at the same time, without them. */
static __thread bool forking;

/* The arena: slots of files, uthash's tables, the detector. Mapped once, never moved. */
static char *arena;
static struct prd *detector;
static size_t uthash_used;

/* Longer than any call of ours blocks; a thread that a handler jumped out of never leaves. */
#define LATCH_NS 1000000000u
/* Of a limited address space one part in so many is enough for us. */
#define LIMIT_SHARE 16

#define UTHASH_BYTES ((size_t)512 * 1024)
#define SLOTS_BYTES  ((sizeof(struct prs_file) * PRS_FILES + 63) & ~(size_t)63)

uint64_t prs_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

long prs_sys(long number, long a, long b, long c, long d)
{
	return prs_real()->syscall(number, a, b, c, d);
}

bool prs_stat_fd(long fd, struct stat *st)
{
#ifdef __LP64__
	return !prs_sys(SYS_newfstatat, fd, (long)"", (long)st, AT_EMPTY_PATH);
#else
	return !fstat((int)fd, st);
#endif
}

bool prs_try(int *word)
{
	return !__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE);
}

bool prs_try_hard(int *word)
{
	/* Who holds it may never let go: a handler jumped out. That is waited for once. */
	static int patience = 2000;

	for (int i = 0; i < patience; i++) {
		if (prs_try(word))
			return true;
		sched_yield();
	}
	patience = 20;
	return false;
}

void prs_release(int *word)
{
	__atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

bool prs_trylock(void)
{
	return prs_settings.exact ? prs_try_hard(&lock) : prs_try(&lock);
}

void prs_unlock(void)
{
	prs_release(&lock);
}

bool prs_is_own_process(void)
{
	return getpid() == own_pid;
}

bool prs_enter(void)
{
	__atomic_fetch_add(&busy, 1, __ATOMIC_SEQ_CST);
	prs_inside = true;
	if (__atomic_load_n(&prs_live, __ATOMIC_SEQ_CST))
		return true;
	prs_leave();
	return false;
}

void prs_leave(void)
{
	prs_inside = false;
	__atomic_fetch_sub(&busy, 1, __ATOMIC_SEQ_CST);
}

/*
 * A seccomp filter may kill for any of our calls, so none of them - not even to write that we
 * stop - comes after this. Other threads that are in the slow path are waited for, a while.
 */
void prs_latch(const char *why)
{
	int error = errno;

	if (__atomic_exchange_n(&prs_live, false, __ATOMIC_SEQ_CST)) {
		for (uint64_t from = prs_now();
		     __atomic_load_n(&busy, __ATOMIC_SEQ_CST) > prs_inside &&
		     prs_now() - from < LATCH_NS;)
			sched_yield();
		prs_log_latch(why);
		prs_stats_write(why);
	}
	/* Also in a child that never was live: nothing may be written at its end. */
	prs_settings.exact = false;
	errno = error;
}

/*
 * A limit on memory is the program's. Mapped without access nothing is locked and filled
 * although mlockall() asks for it; and then it is not locked any more.
 */
void *prs_reserve(size_t *bytes, size_t least)
{
	static const int kinds[] = {RLIMIT_AS, RLIMIT_DATA};
	struct rlimit limit;
	void *map;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!getrlimit(kinds[i], &limit) && limit.rlim_cur != RLIM_INFINITY &&
		    limit.rlim_cur / LIMIT_SHARE < *bytes)
			*bytes = limit.rlim_cur / LIMIT_SHARE;
	if (*bytes < least)
		return NULL;
	map = mmap(NULL, *bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return NULL;
	munlock(map, *bytes);
	if (!mprotect(map, *bytes, PROT_READ | PROT_WRITE))
		return map;
	munmap(map, *bytes);
	return NULL;
}

bool prs_arena(void)
{
	struct prd_limits limits = {
		.window_min = prs_settings.config.window_min,
		.window_max = prs_settings.config.window_max,
		.patterns = prs_settings.config.patterns,
		.files = PRS_FILES,
	};
	size_t fixed = SLOTS_BYTES + UTHASH_BYTES, least = fixed + prd_arena_min(PRS_FILES);
	size_t bytes;
	void *map;

	if (detector)
		return true;
	bytes = prs_settings.config.context_memory;
	if (bytes < least)
		bytes = least;
	map = prs_reserve(&bytes, least);
	if (!map)
		return false;
	arena = map;
	detector = prd_init(arena + fixed, bytes - fixed, &limits);
	if (!detector)
		return false;
	if (!prs_settings.exact)
		prs_front = *prd_front(detector);
	prs_stats_start();
	return true;
}

/*
 * For uthash: a bump allocator that never takes back. The table of buckets is all that it
 * allocates, and its doublings up to PRS_FILES entries fit many times over.
 */
void *prs_uthash_alloc(size_t bytes)
{
	char *at = arena + SLOTS_BYTES + uthash_used;

	bytes = (bytes + 15) & ~(size_t)15;
	if (bytes > UTHASH_BYTES - uthash_used)
		return NULL;
	uthash_used += bytes;
	return at;
}

struct prd *prs_detector(void)
{
	return detector;
}

struct prs_file *prs_file_slots(unsigned *count)
{
	*count = PRS_FILES;
	return (struct prs_file *)arena;
}

/*
 * Fork copies the state as it is. Taking the lock first makes sure that no other thread is
 * half way through it. If it cannot be had soon - a signal handler that forks in the middle
 * of our own slow path - the child goes without help, and nothing in it is touched.
 */
static void before_fork(void)
{
	forking = false;
	if (!prs_live || prs_inside || !prs_try_hard(&lock))
		return;
	forking = prs_try_hard(&prs_open_lock);
	if (!forking)
		prs_unlock();
}

static void after_fork_in_parent(void)
{
	if (!forking)
		return;
	forking = false;
	prs_release(&prs_open_lock);
	prs_unlock();
}

static void after_fork_in_child(void)
{
	/* Quiet for good: a filter may kill for getpid() too. */
	if (!prs_live && !prs_settings.exact)
		return;
	own_pid = getpid();
	prs_release(&prs_open_lock);
	busy = prs_inside; /* the other threads were left behind */
	prs_stats_child();
	prs_log_child();
	if (!forking) {
		__atomic_store_n(&prs_live, false, __ATOMIC_RELAXED);
		return;
	}
	forking = false;
	prs_unlock();
}

void prs_state_start(void)
{
	own_pid = getpid();
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}
