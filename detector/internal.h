/*
 * internal.h - what the detector's files share, and nobody else sees.
 *
 * Who does what: context.c finds, makes and drops streams; stream.c says whether a read
 * belongs to a stream and moves the stream on; pattern.c makes streams out of reads that belong
 * to none; window.c decides how far ahead, and plans; detector.c strings them together.
 */
#ifndef PRD_INTERNAL_H
#define PRD_INTERNAL_H

#include "detector/detector.h"

#define KIB 1024u
#define MIB (1024u * 1024)

/* A skip of up to this belongs to a run: half of a bucket, so that it is found by position. */
#define PRD_SKIP (64 * KIB)
/* Reads this far behind or ahead of a reordered stream's front are its own (ZFS allows 16 MB;
 * an NFS server's or thread pool's disorder is a few requests of at most 128 KiB each). */
#define PRD_REACH (1 * MIB)
/* No stride longer than this, so that 64 pieces ahead cannot overflow an offset. */
#define PRD_STRIDE_MAX ((int64_t)1 << 40)
/* Streams of one key; the oldest unproven one makes room for a further one. */
#define PRD_CROWD 4
/* What is not proven is forgotten after so many reads of its file: where much is read at
 * random, any read touches one of long ago. A few thousand streams may still take turns. */
#define PRD_MEMORY 4096
/* Buckets of one quiet interval that are published at a time: 8 MiB. */
#define PRD_PUBLISH 64
/* A gap no longer than this is read through: the kernel reads whole pages of 4 KiB anyway. */
#define PRD_GAP_MIN 4096
#define PRD_RECENT  16
#define PRD_RINGS   64

enum prd_kind {
	PRD_KIND_FREE,
	PRD_KIND_NEW,
	PRD_KIND_FORWARD,
	PRD_KIND_BACKWARD,
	PRD_KIND_STRIDED
};

/* A stream: 64 bytes, so that one is one cache line. Offsets and lengths are bytes. */
struct prd_stream {
	/* Forward: end of what was seen; backward: its start; strided: the last piece's. */
	uint64_t pos;
	/* Of what was planned, when live: its end; backward: its start; strided: the start
	 * of the next piece to plan. */
	uint64_t edge;
	int64_t delta; /* strided: start to start; forward: the last skip's, for regularity */
	uint32_t file;
	uint32_t slot; /* of its index entry */
	uint32_t window; /* wanted; 0: it has not waited yet */
	/* Forward, backward: bytes from mark to edge; strided: pieces to the next trip. */
	uint32_t lead;
	uint32_t run; /* strided: length of a piece; forward: of the last run */
	uint32_t run_now; /* of the run or piece being read; a new stream: of its read */
	uint32_t last; /* when it was seen, in units of 2^16 ns */
	uint32_t turn; /* of its file, when it was seen; without a window: the file's reads */
	uint16_t read_units, skip_units; /* lately read and skipped, in units of 256 bytes */
	uint32_t kind : 3;
	uint32_t score : 6; /* reads that it foretold, up to 63 */
	uint32_t regular : 3; /* equal skips in a row */
	uint32_t watch : 4; /* reads to look at before going quiet again */
	uint32_t live : 1; /* has a window: edge and lead count */
	uint32_t hushed : 1; /* was quiet: what happened since the last event is not known */
	uint32_t sparse : 1; /* skips */
	uint32_t reordered : 1; /* its reads come out of order */
	uint32_t reported : 5; /* behaviour + 1 of the last report */
	uint32_t cached : 2; /* plans in a row that were in the page cache already */
	uint32_t proven : 1; /* its skips were judged, over a span long enough to tell */
	uint32_t joined : 1; /* strided: the holes are planned too */
	uint32_t spare : 3;
};

struct prd_file {
	uint32_t id; /* the file whose place this is now */
	uint32_t known; /* not 0: somebody's */
	uint64_t used; /* bytes advised and then passed by their stream */
	uint64_t wasted; /* bytes advised for streams that were given up */
	uint32_t streams; /* with a window */
	uint32_t reads; /* looked at */
	uint32_t turns; /* those of streams with a window */
	uint32_t calm; /* unadvised reads in a row that did not wait */
	uint32_t calm_kib; /* their sum */
	uint32_t last; /* stream of the last read, or PRD_NONE */
	uint32_t switches; /* how much its reads alternate between streams */
};

struct prd_recent {
	uint64_t offset;
	uint64_t length;
};

/* The last reads of a file that belonged to no proven stream, newest at next - 1. Direct
 * mapped: files that collide lose their candidates, no more. */
struct prd_ring {
	uint32_t file;
	uint32_t next;
	struct prd_recent recent[PRD_RECENT];
};

struct prd_entry {
	uint32_t tag; /* hash of (file, bucket) */
	uint32_t stream; /* + 1; 0: free */
};

struct prd {
	struct prd_front front;
	struct prd_limits limits;
	struct prd_file *files;
	struct prd_ring *rings;
	struct prd_entry *index; /* linear probing, at most half full */
	uint32_t index_mask;
	struct prd_stream *streams;
	uint32_t capacity;
	uint32_t fresh; /* streams from here on were never used */
	uint32_t free; /* head of the list of freed streams, linked by slot; or PRD_NONE */
	uint32_t hand; /* of the clock that looks for a stream to replace */
	uint32_t sweep; /* of the one that looks for abandoned windows */
	uint32_t alive;
	uint32_t live; /* with a window */
	uint64_t ahead; /* bytes advised and not yet passed */
	/* Proven streams seen in this second (2^30 ns), and in the one before: they share the
	 * budget, whether they have a window yet or not. */
	uint32_t second, seen_now, seen_before;
};

/* One event, and what the functions that handle it hand each other. */
struct prd_turn {
	const struct prd_event *event;
	const struct prd_device *device;
	struct prd_plan *plan;
	uint64_t budget;
	uint64_t progress; /* bytes that the stream got on */
	bool waited;
};

/* context.c */
uint32_t prd_id(const struct prd *d, const struct prd_stream *s);
struct prd_stream *prd_seek(struct prd *d, const struct prd_event *e);
struct prd_stream *prd_make(struct prd *d, uint32_t file, struct prd_plan *plan);
void prd_link(struct prd *d, struct prd_stream *s, uint64_t home);
void prd_drop(struct prd *d, struct prd_stream *s, struct prd_plan *plan);
void prd_retire(struct prd *d, struct prd_stream *s, struct prd_plan *plan);
void prd_sweep(struct prd *d, struct prd_plan *plan);

/* stream.c */
void prd_begin(struct prd_stream *s, const struct prd_event *e);
bool prd_claims(const struct prd_stream *s, const struct prd_event *e);
void prd_advance(struct prd_stream *s, const struct prd_event *e);
bool prd_ready(const struct prd_stream *s);
bool prd_covers(const struct prd_stream *s, const struct prd_event *e);
uint64_t prd_claim(const struct prd_stream *s);
enum prd_behaviour prd_behaviour(const struct prd *d, const struct prd_stream *s);

/* pattern.c */
struct prd_stream *prd_pattern(struct prd *d, const struct prd_event *e,
			       struct prd_stream *taken, struct prd_plan *plan);

/* window.c */
void prd_unhush(struct prd *d, struct prd_stream *s);
void prd_window(struct prd *d, struct prd_stream *s, const struct prd_turn *t);
void prd_plan_next(struct prd *d, struct prd_stream *s, const struct prd_turn *t);
void prd_hush(struct prd *d, struct prd_stream *s, const struct prd_event *e,
	      struct prd_plan *plan);

/* The place of a file; another file's may lie there still, see its id. */
static inline struct prd_file *prd_file(const struct prd *d, uint32_t file)
{
	return &d->files[file & (d->limits.files - 1)];
}

static inline uint64_t prd_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t prd_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t prd_magnitude(int64_t delta)
{
	return delta < 0 ? -(uint64_t)delta : (uint64_t)delta;
}

static inline uint32_t prd_clamp32(uint64_t value)
{
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

#endif
