/*
 * detector.h - recognises how a file is being read, and plans what to fetch ahead of it.
 *
 * THE IDEA
 *
 * A program's reads of one file are events. The detector sorts them into *streams*, each a
 * run whose next read it can foretell, and answers with extents worth fetching now. It makes
 * no system call, has no clock, lock, allocation or global: state in, event in, plan out. So
 * the same code runs inside a program, in a test, in a simulator and in a fuzzer.
 *
 * Streams belong to files, not to descriptors or threads, and are found by position: each is
 * indexed by the place where its next interesting read is due, so that one lookup tells
 * whether a read belongs to any of one or of a million streams (behaviour B comes for free).
 *
 * THE WINDOW
 *
 * A forward stream, in the words of Linux mm/readahead.c; a backward one is its mirror image:
 *
 *       quiet: reads here are not looked at       |
 *    |--------------------------------------------|==========================|
 *   pos                                          mark       lookahead       edge
 *    ^ last read that we saw                      ^ first byte of the newest window
 *
 * The read that crosses the mark does two things at once. It opens the next window, from the
 * edge on; and since it is the first to touch the newest window, how long it waited tells
 * whether that window was asked for in time. If it was *late* the window doubles; if not, the
 * window is large enough. A program whose reads do not wait is asked nothing and given
 * nothing: windows begin at a wait and grow by waits (rule 7 of Wu's and AMP's, see below).
 *
 * A strided stream is the same with pieces for bytes: the mark is the piece at which the next
 * batch of pieces is due.
 *
 * QUIET INTERVALS
 *
 * Between two marks nothing can be learnt that matters, so the detector publishes [pos, mark)
 * in a table that prd_before() looks up without a lock or a write. A read that leaves the
 * interval *trips*: never equality with a point, so that a torn entry, a lost observation or
 * a jump heals by itself at the next read outside.
 *
 * STATES OF A STREAM
 *
 *   state    | entered by                                   | next read expected    | plans
 *   ---------+----------------------------------------------+-----------------------+--------
 *   NEW      | a read that belongs to nothing known         | touching either end   | nothing
 *   FORWARD  | a read adjacent to or overlapping NEW's end;  | at pos; a short skip; | from the
 *            | or a zone of near reads, half of it read     | or late, behind pos   | edge up
 *   BACKWARD | the mirror image                             | ending at pos         | edge down
 *   STRIDED  | three reads at equal distances, or a FORWARD | pos + delta           | pieces
 *            | stream whose skips repeat                    |                       |
 *
 *   FORWARD and BACKWARD report behaviour A or C; B when other streams of the file are alive;
 *   E when the stream skips; F when its reads come out of order. STRIDED reports D, or E when
 *   it was born from short skips. What belongs to no stream is J: nothing is planned for it.
 *
 * WHEN IT STARTS, AND WHEN IT STOPS
 *
 * Starts: a run at its third adjacent read (Wu: starting at the second cost an SSD database a
 * quarter of its queries), a stride at its fourth read (its delta confirmed twice), a zone at
 * its fifth; and only if a read of it has waited. A plain forward run is what the kernel does
 * itself, so it is left alone until its window would exceed the kernel's own - on a disk with
 * seeks, until it is worth a seek: smaller advice would only cut the kernel's windows short.
 *
 * Stops: at the file's end; when the share of skipped bytes exceeds PRD_SKIP_MAX; when the
 * budget allows no more than the kernel does alone; when its file has wasted more than it
 * used (prd_caution). A stream that is not visited for a long while gives its claim back.
 *
 * SOURCES
 *
 * Context, sparse and backward read-ahead: Wu Fengguang, 'On the design of a new Linux
 * readahead framework' (2008). Windows by waits: Gill and Bathen, AMP (FAST'07). Reordering
 * and small skips: OpenZFS dmu_zfetch.c. The mark: Linux mm/readahead.c.
 */
#ifndef PRD_DETECTOR_H
#define PRD_DETECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "detector/behaviours.h"

#define PRD_EXTENTS	 16 /* most extents in one plan */
#define PRD_NONE	 UINT32_MAX /* no stream, no file */
#define PRD_UNTIMED	 UINT64_MAX /* wait_ns of a read that was not timed */
#define PRD_BUCKET_SHIFT 17 /* streams and quiet intervals are hashed by offset >> 17 */

/* What does not change while a detector lives. */
struct prd_limits {
	uint64_t window_min; /* bytes, first window of a stream; 0: plan nothing */
	uint64_t window_max; /* bytes, at most 1 GiB; 0: plan nothing */
	uint32_t patterns; /* one bit a behaviour that may be planned for: 1u << PRD_... */
	/* Places for files, a power of two. A file is named by any number but PRD_NONE, and has
	 * the place `number % files`: a new number there displaces the file that had it, with
	 * all its streams. So a caller that reuses a place adds `files` to the number. */
	uint32_t files;
};

enum prd_event_kind {
	PRD_READ, /* the program read; all fields count */
	PRD_MORE, /* continue the plan of `stream`, whose last plan said `more` */
	PRD_CACHED /* the last plan of `stream` was in the page cache already, all of it */
};

struct prd_event {
	enum prd_event_kind kind;
	uint32_t file;
	uint32_t stream; /* PRD_MORE, PRD_CACHED: from the plan */
	uint64_t offset; /* bytes, below 2^63 */
	uint64_t asked; /* bytes */
	uint64_t done; /* bytes read; 0 (end of file) teaches nothing */
	uint64_t now_ns; /* any monotonic origin */
	/* 0: did not wait; else how long it took. Whoever measures decides what is a wait. */
	uint64_t wait_ns;
	uint64_t file_size; /* bytes; nothing is planned beyond */
};

/* What the reader's device is like, in plain numbers; 0: not known. */
struct prd_device {
	uint64_t latency_ns; /* a read that is alone */
	uint64_t bytes_per_s; /* at most */
	uint64_t positioning_ns; /* a seek; 0 where distance costs nothing */
	uint64_t readahead; /* bytes, the kernel's own largest forward window */
	uint64_t request; /* bytes, the largest single request; 0: any */
	uint32_t channels; /* requests that it serves at once */
	uint32_t room; /* requests that can be given to it now without blocking */
};

struct prd_extent {
	uint64_t offset; /* bytes */
	uint64_t length; /* bytes, not 0 */
};

/* What became of the read. */
enum prd_verdict {
	PRD_QUIET, /* not timed, nothing known */
	PRD_HIT, /* had been advised, and did not wait */
	PRD_LATE, /* had been advised, and waited */
	PRD_MISS, /* had not been advised, and waited */
	PRD_FREE /* had not been advised, and did not wait */
};

struct prd_plan {
	struct prd_extent extent[PRD_EXTENTS]; /* fetch these, in this order */
	unsigned extents;
	bool more; /* there is more to plan: send PRD_MORE after acting on this */
	bool made; /* the stream is a new one, its number may have been another's */
	bool found; /* the stream was recognised just now */
	bool changed; /* the stream's behaviour is another one than at its last report */
	bool dormant; /* the file's reads have not waited for long: sample them */
	uint32_t stream; /* the stream that took the read, or PRD_NONE */
	enum prd_behaviour behaviour; /* of the stream; PRD_RANDOM without one */
	enum prd_verdict verdict;
	int64_t delta; /* bytes, start to start; strided streams */
	uint64_t run; /* bytes, length of a piece; strided streams */
	uint64_t window; /* bytes, as it is now */
	/* The stream's new quiet interval [quiet_lo, quiet_hi); empty: every read trips. */
	uint64_t quiet_lo, quiet_hi;
	/* A stream that was given up, to make room or as abandoned, and what it wasted. */
	uint32_t ended; /* or PRD_NONE */
	uint64_t ended_waste; /* bytes advised and not read */
};

/*
 * An entry of the table of quiet intervals. Readers see it torn at worst, which is harmless:
 * a wrong answer is one read looked at too many, or one too few.
 */
struct prd_quiet {
	uint64_t tag; /* stream << 32 | file + 1; 0: free */
	uint64_t lo, hi; /* bytes */
	uint64_t unused;
};

struct prd; /* a detector; lies in its arena, see internal.h */

/* The part of a detector that prd_before() reads. */
struct prd_front {
	struct prd_quiet *quiet;
	uint32_t quiet_shift; /* 64 - log2(entries) */
};

/* Bytes of the smallest arena that prd_init() takes for that many files. */
uint64_t prd_arena_min(uint32_t files);

/*
 * Makes a detector in an arena that the caller owns, zeroed, aligned to 64 bytes, at least
 * prd_arena_min() and best much larger: about 90 bytes a stream. It is laid out so that what
 * is never used is never touched. Returns NULL when the arena is too small. Nothing to undo:
 * the caller releases the arena when it likes.
 */
struct prd *prd_init(void *arena, uint64_t bytes, const struct prd_limits *limits);

/* The table for prd_before(); valid as long as the arena. */
const struct prd_front *prd_front(const struct prd *d);

/* Takes an event and fills *plan. `budget`: bytes that may be advised and not yet read, over
 * all files. Not reentrant: one call at a time on one detector. Bounded time; cannot fail. */
void prd_after(struct prd *d, const struct prd_event *event, const struct prd_device *device,
	       uint64_t budget, struct prd_plan *plan);

/* Bytes advised and not yet read, and streams alive, as far as known. */
uint64_t prd_ahead(const struct prd *d);
uint32_t prd_streams(const struct prd *d);

/* Streams have numbers below this, so far. */
uint32_t prd_numbers(const struct prd *d);

static inline uint64_t prd_hash(uint64_t file, uint64_t bucket)
{
	/* Fibonacci hashing of two words: odd constants from the golden ratio and from e. */
	return (bucket * 0x9e3779b97f4a7c15u) ^ ((file + 1) * 0xadb85458a2bb4a9bu);
}

static inline struct prd_quiet *prd_quiet_slot(const struct prd_front *front, uint32_t file,
					       uint64_t offset)
{
	uint64_t hash = prd_hash(file, offset >> PRD_BUCKET_SHIFT) * 0x9e3779b97f4a7c15u;

	return &front->quiet[hash >> front->quiet_shift];
}

/*
 * Before a read: must it be looked at? Lock-free, writes nothing; may be called at any time
 * while another thread is in prd_after().
 */
static inline bool prd_before(const struct prd_front *front, uint32_t file, uint64_t offset,
			      uint64_t length)
{
	const struct prd_quiet *q = prd_quiet_slot(front, file, offset);

	return (uint32_t)__atomic_load_n(&q->tag, __ATOMIC_RELAXED) != file + 1 ||
	       offset < __atomic_load_n(&q->lo, __ATOMIC_RELAXED) ||
	       offset + length > __atomic_load_n(&q->hi, __ATOMIC_RELAXED);
}

#endif
