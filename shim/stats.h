/*
 * stats.h - what was read, and what became of it, where somebody asked for exact figures.
 *
 * Nothing here costs anything otherwise. Sums of reads and bytes are added without the lock,
 * so that none is lost; what the detector says of a read is added under it. The statistics
 * file gets one line a process, padded to a fixed length and rewritten in place while the
 * process runs: however it ends, what it did until a moment before is there.
 */
#ifndef PRS_STATS_H
#define PRS_STATS_H

#include "shim/table.h"

/* Sums over reads: of a process, a behaviour, or a stream. */
struct prs_sums {
	uint64_t reads; /* that returned something */
	uint64_t bytes; /* that they returned */
	uint64_t advised; /* bytes asked to be fetched */
	uint64_t hit; /* reads of advised bytes that did not wait */
	uint64_t late; /* reads of advised bytes that waited */
	uint64_t miss; /* reads of other bytes that waited */
	uint64_t wasted; /* bytes advised and given up unread */
	uint64_t covered; /* bytes read that had been advised */
	uint64_t waited_ns; /* that the reads took that waited */
};

/* What the log says of a read, gathered under the lock and written after. */
struct prs_note {
	bool found, changed, ended, no_effect;
	enum prd_behaviour behaviour;
	uint32_t stream;
	uint64_t dev, ino, offset, run;
	int64_t delta;
	struct prs_sums sums; /* of the stream that ended */
	struct prs_note_end {
		uint32_t stream;
		enum prd_behaviour behaviour;
		uint64_t dev, ino, offset;
	} end;
};

void prs_stats_start(void); /* with the arena */
void prs_stats_child(void); /* after fork, in the child: figures start at nothing */

/* Any regular file was read. */
void prs_stats_read(uint64_t bytes, uint64_t wait_ns);
/* Under the lock: the detector's word on that read. */
void prs_stats_note(const struct prs_file *f, const struct prd_event *e,
		    const struct prd_plan *plan, struct prs_note *note);
/* Under the lock: the plan was acted on. */
void prs_stats_advice(const struct prd_plan *plan, uint64_t bytes, uint64_t calls, uint64_t ns);
/* The slow path took so long, the real call and advice left out. */
void prs_stats_slow(uint64_t ns);

/* Writes the figures; `exit`: how the process ends, NULL while it runs on (and then as often as
 * little of its time allows). */
void prs_stats_write(const char *exit);
/* Calls `say` for each stream that was reported and still lives, then forgets them. */
void prs_stats_end_streams(void (*say)(const struct prs_note *note));

struct prs_sums prs_stats_totals(void);

#endif
