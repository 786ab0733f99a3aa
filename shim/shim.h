/*
 * shim.h - the library inside the program: how one read passes through it.
 *
 *   read(2)'s wrapper -> the gate: does this read trip?            (gate.h, the hot path)
 *        no  -> the real read; nothing else happens
 *        yes -> clock, real read, clock -> observe:                (observe.c, the slow path)
 *               which file, at what offset   (table.c)
 *               what is it doing to it       (detector/)
 *               fetch ahead                  (advise.c, device.c, budget.c)
 *               tell, if somebody asked      (log.c, stats.c)
 *
 * THE RULES IN HERE
 *
 * Nothing blocks: state lies under one trylock, and who does not get it goes without - a lost
 * observation costs nothing, a signal handler that reads in the middle of us must not hang.
 * Nothing is allocated but one arena, mapped when a read of a regular file first waited.
 * errno is what the real call left. No descriptor is kept and no data file is opened. No thread
 * is started. What fails inside - a mapping, a table, a system call - turns into 'not helped'.
 *
 * A descriptor starts UNKNOWN. While its reads do not wait nobody asks what it is; the first
 * wait has it learnt. So a warm program pays two clocks for a descriptor's first reads and
 * then, DORMANT, one read in sixteen.
 */
#ifndef PRS_SHIM_H
#define PRS_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "common/config.h"
#include "detector/detector.h"

/* Where a read took place: at an offset, or at the descriptor's own position. */
#define PRS_AT_POSITION UINT64_MAX

struct prs_device;

/* A file that was learnt. Lives in the arena, touched under the lock only. */
struct prs_file;

/* What the constructor decided and nobody changes afterwards. */
struct prs_settings {
	struct pr_config config;
	bool exact; /* every read is timed and counted: log or statistics are wanted */
	bool advise; /* mode on */
	bool summary; /* a verdict on stderr at the end */
	char log[4096]; /* absolute file name, "-": stderr, "": none */
	char stats[4096]; /* the same */
	uint64_t stderr_dev, stderr_ino; /* what descriptor 2 was at the start */
};

extern struct prs_settings prs_settings;

/* config.c: reads the environment; false: stay inert. */
bool prs_configure(void);
/* Complaints about the environment, one each; NULL when there is no i-th. */
const char *prs_complaint(unsigned i, const char **variable, const char **value);

/*
 * state.c: locks, the arena, going quiet, fork.
 *
 * prs_try() takes a lock word if it is free. prs_try_hard() also waits for another thread, but
 * not for long. Neither is called by a thread inside the slow path again (prs_inside): it
 * would wait for itself.
 */
extern __thread bool prs_inside;
bool prs_enter(void); /* into the slow path; false: we went quiet */
void prs_leave(void);
bool prs_try(int *word);
bool prs_try_hard(int *word);
void prs_release(int *word);
/* The lock of the tables and the detector; hard where exact figures are wanted. */
bool prs_trylock(void);
void prs_unlock(void);
bool prs_arena(void); /* under the lock: mapped now, or before */
void *prs_uthash_alloc(size_t bytes);
struct prd *prs_detector(void);
struct prs_file *prs_file_slots(unsigned *count);
void prs_latch(const char *why); /* goes quiet for good */
bool prs_is_own_process(void); /* false in a vfork child: memory is the parent's */
void prs_state_start(void);
/*
 * Memory that is touched as it is used, even where the program locks all of its own, and never
 * much of what it may have. Sets *bytes to what was had; NULL: less than `least`.
 */
void *prs_reserve(size_t *bytes, size_t least);
uint64_t prs_now(void); /* ns, monotonic */
long prs_sys(long number, long a, long b, long c, long d); /* -1 and errno as libc's */
struct stat;
bool prs_stat_fd(long fd, struct stat *st); /* fstat() by the bare call: fakeroot changes it */

/* observe.c: the slow path, after the real call */
void prs_observe(int fd, uint64_t offset, size_t asked, ssize_t done, uint64_t from,
		 uint64_t to);

/* stdio.c */
void prs_stdio_start(void);

/* start.c: how a process ends, or becomes another program */
void prs_finish(const char *how);
void prs_stderr_closes(void); /* descriptor 2 is about to go */

#endif
