/*
 * detector.h - a model to run the detector in: traces go in, waits and waste come out.
 *
 * The model is a page cache in front of a disk with a latency and a bandwidth, and a kernel
 * that reads ahead of plain forward runs only. It calls the detector the way a program does:
 * prd_before() first, and only a read that trips is sent to prd_after(). With `exact` every
 * read is sent. Each plan is held against what must be true of any plan.
 */
#ifndef TEST_DETECTOR_H
#define TEST_DETECTOR_H

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "detector/detector.h"

#define K	     (uint64_t)1024
#define M	     (1024 * K)
#define G	     (1024 * M)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct setup {
	uint64_t file_size;
	uint64_t arena; /* bytes */
	uint64_t budget; /* bytes */
	uint64_t think_ns; /* the program's own time, for 4 KiB */
	uint32_t files;
	uint32_t patterns;
	uint64_t window_min, window_max;
	struct prd_device device;
	bool exact; /* every read is sent */
	bool uncached; /* no page cache: the caller says what waits */
};

/* A roomy detector on a network-like disk whose kernel reads nothing ahead. */
extern const struct setup plain_setup;

struct tally {
	uint64_t reads, sent, waits, plans, extents;
	uint64_t advised, again, wasted; /* bytes; `again`: advised while still unread */
	uint64_t demand; /* bytes of pages read, each once */
	uint64_t plan_hash;
	uint64_t ended, found;
	uint32_t verdicts[5], behaviours[PRD_BEHAVIOUR_COUNT]; /* of the reads sent */
};

struct page;

struct model {
	struct setup setup;
	struct prd *d;
	void *arena;
	struct page *pages;
	uint64_t now_ns, busy_ns, last_page;
	uint32_t file;
	uint64_t file_size;
	struct prd_plan plan; /* the last one, zero for a quiet read */
	struct prd_extent advice[4 * PRD_EXTENTS]; /* all of the last read, `more` included */
	unsigned advices;
	struct tally tally;
	char fault[200]; /* what was first seen wrong of a plan */
};

void model_open(struct model *m, const struct setup *setup);
void model_read(struct model *m, uint64_t offset, uint64_t length);
/* A read that got less than it asked for, and one of which the caller says how it waited. */
void model_partial(struct model *m, uint64_t offset, uint64_t asked, uint64_t done);
void model_timed(struct model *m, uint64_t offset, uint64_t length, uint64_t wait_ns);
/* Counts what was advised in vain, and gives the memory back. The tally stays. */
void model_close(struct model *m);

typedef void trace(struct model *m, uint64_t seed);

/* Runs a trace as a program would, again the same way, and with every read sent: the plans
 * must be the same, and nothing wrong with any. Returns the first run's tally. */
struct tally check_trace(const char *name, const struct setup *setup, trace *run,
			 uint64_t seed);

/* Per mille of the reads that waited, and of the advised bytes that were wasted. */
uint64_t waits_of(const struct tally *t);
uint64_t waste_of(const struct tally *t);

/* A line of a table: one read, and the advice that it must yield. */
struct row {
	uint64_t offset, length;
	bool waited;
	struct prd_extent advice[6];
};

void check_rows(const char *name, const struct setup *setup, const struct row *rows,
		size_t count);

static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static inline uint64_t random_below(uint64_t *state, uint64_t limit)
{
	return random_next(state) % limit;
}

#endif
