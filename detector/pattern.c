/*
 * pattern.c - streams out of reads that touch no other: strides, and zones.
 *
 * A ring keeps the last few reads of a file that belonged to no proven stream. Two questions
 * are asked of it, each bounded by its 16 entries: is the new read the third of an arithmetic
 * progression (behaviour D, either sign)? Do the last reads lie so close together that half of
 * what they span was read (E with irregular skips, F out of order)?
 */
#include "detector/internal.h"

/* A zone needs this many reads, and this many bytes read of each 5 spanned. */
#define ZONE_READS   5
#define ZONE_DENSITY 2

static struct prd_ring *ring_of(struct prd *d, uint32_t file)
{
	struct prd_ring *ring = &d->rings[file & (PRD_RINGS - 1)];

	if (ring->file != file) {
		ring->file = file;
		ring->next = 0;
	}
	return ring;
}

static uint32_t ring_count(const struct prd_ring *ring)
{
	return ring->next < PRD_RECENT ? ring->next : PRD_RECENT;
}

/* The i-th newest. */
static const struct prd_recent *recent(const struct prd_ring *ring, uint32_t i)
{
	return &ring->recent[(ring->next - 1 - i) % PRD_RECENT];
}

/*
 * Is the read the newest of three, `gap` reads apart in time, that are equally far apart in
 * the file? Then their distance, else 0. Equal gaps in time are what tells streams that take
 * turns from chance: in a file of many records some three reads always lie in a row.
 */
static int64_t progression(const struct prd_ring *ring, uint32_t gap, const struct prd_event *e)
{
	const struct prd_recent *r = recent(ring, gap - 1), *q = recent(ring, 2 * gap - 1);
	int64_t delta = (int64_t)(e->offset - r->offset);
	uint64_t length = prd_magnitude(delta), error = r->offset - q->offset - (uint64_t)delta;
	uint64_t tolerance = prd_min(e->done / 2, length / 16);

	if (length <= prd_max(e->done, r->length) || length > (uint64_t)PRD_STRIDE_MAX)
		return 0;
	if (r->length > 2 * e->done || e->done > 2 * r->length)
		return 0;
	return error <= tolerance || -error <= tolerance ? delta : 0;
}

static int64_t find_delta(const struct prd_ring *ring, const struct prd_event *e, uint32_t *gap)
{
	for (*gap = 1; 2 * *gap <= ring_count(ring); ++*gap) {
		int64_t delta = progression(ring, *gap, e);

		if (delta)
			return delta;
	}
	return 0;
}

struct zone {
	uint64_t low, high, bytes;
	unsigned reads, ups, downs;
};

static struct zone survey(const struct prd_ring *ring, const struct prd_event *e)
{
	struct zone z = {e->offset, e->offset + e->done, e->done, 1, 0, 0};
	uint64_t newer = e->offset;

	for (uint32_t i = 0; i < ring_count(ring); i++) {
		const struct prd_recent *r = recent(ring, i);
		uint64_t end = r->offset + r->length;

		if (r->offset + PRD_REACH < e->offset || r->offset > e->offset + PRD_REACH ||
		    r->offset == newer)
			continue;
		z.low = prd_min(z.low, r->offset);
		z.high = prd_max(z.high, end);
		z.bytes += r->length;
		z.reads++;
		if (r->offset < newer)
			z.ups++;
		else
			z.downs++;
		newer = r->offset;
		if (z.reads >= ZONE_READS && z.bytes * 5 >= (z.high - z.low) * ZONE_DENSITY)
			break;
	}
	return z;
}

static void become_run(struct prd_stream *s, const struct zone *z)
{
	bool down = !z->ups;

	s->kind = down ? PRD_KIND_BACKWARD : PRD_KIND_FORWARD;
	s->pos = down ? z->low : z->high;
	s->sparse = 1;
	s->reordered = z->ups && z->downs;
	s->score = ZONE_READS - 1;
	s->run_now = 0;
	s->proven = 1;
}

/*
 * A stride whose gaps the kernel would read anyway, pages being what they are, is a run that
 * skips. Any other is planned piece by piece.
 */
static void become_stride(struct prd_stream *s, const struct prd_event *e, int64_t delta,
			  uint32_t gap)
{
	bool down = delta < 0;

	if (prd_magnitude(delta) - e->done <= PRD_GAP_MIN) {
		s->kind = down ? PRD_KIND_BACKWARD : PRD_KIND_FORWARD;
		s->pos = down ? e->offset : e->offset + e->done;
		s->sparse = 1;
	} else {
		s->kind = PRD_KIND_STRIDED;
		s->pos = e->offset;
		s->run = prd_clamp32(e->done);
	}
	s->delta = delta;
	s->run_now = prd_clamp32(e->done);
	/* One that takes turns with others has one read more to foretell. */
	s->score = gap == 1 ? 2 : 1;
}

/*
 * Called for a read that no proven stream took; `taken` is the unproven one that did, or
 * NULL. Returns the stream that the read now belongs to: a new one where a pattern emerged,
 * else `taken`, else a fresh NEW one.
 */
struct prd_stream *prd_pattern(struct prd *d, const struct prd_event *e,
			       struct prd_stream *taken, struct prd_plan *plan)
{
	struct prd_ring *ring = ring_of(d, e->file);
	uint32_t gap;
	int64_t delta = find_delta(ring, e, &gap);
	struct zone z = {0};
	struct prd_stream *s = taken;

	if (!delta)
		z = survey(ring, e);
	ring->recent[ring->next % PRD_RECENT] = (struct prd_recent){e->offset, e->done};
	ring->next = ring->next + 1 == 2 * PRD_RECENT ? PRD_RECENT : ring->next + 1;
	if (!s) {
		s = prd_make(d, e->file, plan);
		prd_begin(s, e);
	}
	if (delta && !taken) {
		become_stride(s, e, delta, gap);
	} else if (z.reads >= ZONE_READS && z.bytes * 5 >= (z.high - z.low) * ZONE_DENSITY) {
		become_run(s, &z);
		ring->next = 0;
	}
	return s;
}
