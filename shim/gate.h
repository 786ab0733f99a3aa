/*
 * gate.h - the hot path: one question before each read - does it trip?
 *
 * The answer no must cost next to nothing, so it takes no lock, calls nothing and writes
 * nothing that another thread reads. A read at an offset is looked up in the detector's table
 * of quiet intervals. A read at the descriptor's position does not know where it is; its
 * thread keeps a cursor for the descriptor, which counts down the bytes to the end of the
 * quiet interval. At zero the slow path asks lseek() for the truth, so a cursor that is wrong
 * (another thread read through the same descriptor) is wrong for one interval at most.
 */
#ifndef PRS_GATE_H
#define PRS_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "detector/detector.h"

enum prs_kind {
	PRS_UNKNOWN, /* not learnt: its reads have not waited */
	PRS_OTHER, /* behaviour L: nothing for us */
	PRS_FILE, /* learnt, reads are looked at where they trip */
	PRS_DORMANT, /* reads have not waited for long: one in sixteen is timed */
	PRS_COUNTED /* a regular file that is not helped but, for exact figures, counted */
};

/*
 * A descriptor in one word, so that it is read and written as a whole:
 * file << 32 | generation << 9 | calm reads << 3 | kind. The generation changes whenever the
 * descriptor is closed or opened, so a cursor that carries the word notices by itself.
 */
#define PRS_KIND(word)	  ((enum prs_kind)((word)&7))
#define PRS_CALM(word)	  ((unsigned)((word) >> 3) & 63)
#define PRS_FILE_OF(word) ((uint32_t)((word) >> 32))

#define PRS_FDS_NEAR 1024
#define PRS_CURSORS  16
#define PRS_SAMPLE   16 /* one read in so many of a dormant file is timed */

struct prs_cursor {
	uint64_t word; /* of the descriptor when it was set */
	int64_t left; /* bytes to the end of the quiet interval */
};

extern bool prs_live; /* false: before the start, in mode off, after going quiet */
extern uint64_t prs_fd_near[PRS_FDS_NEAR];
extern struct prd_front prs_front;
extern __thread struct prs_cursor prs_cursors[PRS_CURSORS];
extern __thread int prs_sample;

uint64_t *prs_fd_far(int fd); /* NULL: no such descriptor is known */

static inline uint64_t prs_fd_word(int fd)
{
	const uint64_t *word;

	if (__builtin_expect((unsigned)fd < PRS_FDS_NEAR, 1))
		return __atomic_load_n(&prs_fd_near[fd], __ATOMIC_RELAXED);
	word = prs_fd_far(fd);
	return word ? __atomic_load_n(word, __ATOMIC_RELAXED) : PRS_UNKNOWN;
}

static inline struct prs_cursor *prs_cursor(int fd)
{
	return &prs_cursors[(unsigned)fd % PRS_CURSORS];
}

/* What is left to decide when the answer is not in the descriptor's word alone. */
static inline bool prs_trips_at_kind(uint64_t word)
{
	if (PRS_KIND(word) == PRS_OTHER)
		return false;
	if (PRS_KIND(word) == PRS_DORMANT) {
		if (--prs_sample > 0)
			return false;
		prs_sample = PRS_SAMPLE;
	}
	return true;
}

/* A read of that many bytes at the descriptor's position. */
static inline bool prs_trips(int fd, size_t length)
{
	struct prs_cursor *cursor = prs_cursor(fd);
	uint64_t word;

	if (!prs_live)
		return false;
	word = prs_fd_word(fd);
	if (PRS_KIND(word) != PRS_FILE)
		return prs_trips_at_kind(word);
	if (cursor->word != word || (uint64_t)cursor->left < length)
		return true;
	cursor->left -= (int64_t)length;
	return false;
}

/* A vectored read at the position: how long it is shows afterwards. */
static inline bool prs_trips_vector(int fd)
{
	const struct prs_cursor *cursor = prs_cursor(fd);
	uint64_t word;

	if (!prs_live)
		return false;
	word = prs_fd_word(fd);
	if (PRS_KIND(word) != PRS_FILE)
		return prs_trips_at_kind(word);
	return cursor->word != word || cursor->left <= 0;
}

/* It read so much without a look. The cursor may be another descriptor's. */
static inline void prs_vector_done(int fd, int64_t done)
{
	struct prs_cursor *cursor = prs_cursor(fd);

	if (done > 0 && prs_live && cursor->word == prs_fd_word(fd))
		cursor->left -= done < cursor->left ? done : cursor->left;
}

/* A read of that many bytes at an offset. */
static inline bool prs_trips_at(int fd, uint64_t offset, size_t length)
{
	uint64_t word;

	if (!prs_live)
		return false;
	word = prs_fd_word(fd);
	if (PRS_KIND(word) != PRS_FILE)
		return prs_trips_at_kind(word);
	return prd_before(&prs_front, PRS_FILE_OF(word), offset, length);
}

/* The descriptor's position is now known (lseek, or a read that was looked at). */
void prs_place(int fd, uint64_t word, uint64_t position);

#endif
