/* stream.c - does a read belong to a stream, and where does that leave the stream? */
#include "detector/internal.h"

static uint64_t end_of(const struct prd_event *e)
{
	return e->offset + e->done;
}

void prd_begin(struct prd_stream *s, const struct prd_event *e)
{
	s->pos = end_of(e);
	s->run_now = prd_clamp32(e->done);
}

/* How far from where a run stands may a read be, and still be its own: ahead, and behind. */
static uint64_t reach_ahead(const struct prd_stream *s)
{
	uint64_t window = prd_claim(s);

	if (s->reordered)
		return window + PRD_REACH;
	return window + (s->score >= 2 ? PRD_SKIP : 0);
}

static uint64_t reach_behind(const struct prd_stream *s, uint64_t length)
{
	return s->reordered ? PRD_REACH : length;
}

/*
 * Where in a stride is a read? Sets *piece to the number of pieces from s->pos on (negative:
 * behind it) and returns whether the read lies in or at that piece.
 */
static bool in_stride(const struct prd_stream *s, uint64_t offset, int64_t *piece)
{
	uint64_t length = prd_magnitude(s->delta), half = length / 2;
	uint64_t away = offset > s->pos ? offset - s->pos : s->pos - offset;
	uint64_t tolerance = prd_min(s->run / 2, length / 16), count, inside;
	bool same_way = (offset >= s->pos) == (s->delta > 0);

	if (away > length * 1024)
		return false;
	count = (away + half) / length;
	*piece = same_way ? (int64_t)count : -(int64_t)count;
	inside = offset - (s->pos + (uint64_t)(*piece * s->delta));
	return inside < s->run || -inside <= tolerance;
}

static bool strided_claims(const struct prd_stream *s, const struct prd_event *e)
{
	int64_t piece, next = 1;

	if (!s->hushed && e->offset == s->pos + s->run_now &&
	    s->run_now + e->done < prd_magnitude(s->delta))
		return true;
	if (!in_stride(s, e->offset, &piece))
		return false;
	/* Until proven only the very next piece counts: any read is near some multiple. */
	if (prd_ready(s))
		next = 4;
	if (s->live)
		next += (int64_t)(s->edge - s->pos) / s->delta;
	return piece >= -1 && piece <= next;
}

bool prd_claims(const struct prd_stream *s, const struct prd_event *e)
{
	uint64_t start = e->offset, end = end_of(e);

	switch (s->kind) {
	case PRD_KIND_NEW:
		return start <= s->pos && end + s->run_now >= s->pos;
	case PRD_KIND_FORWARD:
		return start <= s->pos + reach_ahead(s) &&
		       end + reach_behind(s, e->done) >= s->pos + (s->reordered ? 0 : e->done);
	case PRD_KIND_BACKWARD:
		return end + reach_ahead(s) >= s->pos &&
		       start <=
			       s->pos + reach_behind(s, e->done) - (s->reordered ? 0 : e->done);
	case PRD_KIND_STRIDED:
		return strided_claims(s, e);
	default:
		return false;
	}
}

static void count_units(struct prd_stream *s, uint64_t done, uint64_t skipped)
{
	uint64_t read_units = s->read_units + (done + 255) / 256;
	uint64_t skip_units = s->skip_units + skipped / 256;

	while (read_units > 32767 || skip_units > 32767) {
		read_units /= 2;
		skip_units /= 2;
	}
	s->read_units = (uint16_t)read_units;
	s->skip_units = (uint16_t)skip_units;
}

/*
 * A run went on, after `skipped` bytes that it left out; `fresh` of its bytes are new. Skips
 * that repeat, run for run and distance for distance, make it a stride.
 */
static void run_on(struct prd_stream *s, const struct prd_event *e, uint64_t skipped,
		   uint64_t fresh)
{
	int64_t delta;

	if (s->score < 63)
		s->score++;
	if (s->hushed)
		skipped = 0;
	count_units(s, fresh, skipped);
	if (!skipped) {
		s->run_now = prd_clamp32(s->run_now + fresh);
		return;
	}
	s->sparse = 1;
	delta = (int64_t)(s->run_now + skipped);
	if (s->kind == PRD_KIND_BACKWARD)
		delta = -delta;
	if (delta == s->delta && s->run_now == s->run)
		s->regular += s->regular < 7;
	else
		s->regular = 0;
	s->delta = delta;
	s->run = s->run_now;
	s->run_now = prd_clamp32(e->done);
}

static void advance_strided(struct prd_stream *s, const struct prd_event *e)
{
	int64_t piece;

	if (!s->hushed && e->offset == s->pos + s->run_now) {
		s->run_now = prd_clamp32(s->run_now + e->done);
		s->run =
			(uint32_t)prd_min(prd_max(s->run, s->run_now), prd_magnitude(s->delta));
		return;
	}
	if (!in_stride(s, e->offset, &piece) || piece <= 0)
		return;
	/* The piece is where it is now found: small errors must not add up. */
	if (s->pos + (uint64_t)(piece * s->delta) <= e->offset &&
	    e->offset - (s->pos + (uint64_t)(piece * s->delta)) < s->run)
		s->pos += (uint64_t)(piece * s->delta);
	else
		s->pos = e->offset;
	s->run_now = prd_clamp32(end_of(e) - s->pos);
	s->run = (uint32_t)prd_min(prd_max(s->run, s->run_now), prd_magnitude(s->delta));
	if (s->score < 63)
		s->score++;
}

void prd_advance(struct prd_stream *s, const struct prd_event *e)
{
	uint64_t start = e->offset, end = end_of(e), first = s->pos - s->run_now;

	switch (s->kind) {
	case PRD_KIND_NEW:
		if (end > s->pos) {
			s->kind = PRD_KIND_FORWARD;
			run_on(s, e, 0, end - s->pos);
			s->pos = end;
		} else if (start < first) {
			s->kind = PRD_KIND_BACKWARD;
			run_on(s, e, 0, first - start);
			s->pos = start;
		}
		return;
	case PRD_KIND_FORWARD:
		if (end <= s->pos)
			return;
		run_on(s, e, start > s->pos ? start - s->pos : 0,
		       prd_min(e->done, end - s->pos));
		s->pos = end;
		return;
	case PRD_KIND_BACKWARD:
		if (start >= s->pos)
			return;
		run_on(s, e, end < s->pos ? s->pos - end : 0, prd_min(e->done, s->pos - start));
		s->pos = start;
		return;
	default:
		advance_strided(s, e);
	}
}

/*
 * Proven enough to plan for. A run: two reads foretold (Wu: the third adjacent page). A
 * stride: three reads foretold, since any two reads have a distance.
 */
bool prd_ready(const struct prd_stream *s)
{
	if (s->kind == PRD_KIND_STRIDED)
		return s->score >= 3;
	return s->kind != PRD_KIND_NEW && s->score >= 2;
}

/* Had what the event read been advised? */
bool prd_covers(const struct prd_stream *s, const struct prd_event *e)
{
	int64_t piece;

	if (!s->live)
		return false;
	switch (s->kind) {
	case PRD_KIND_FORWARD:
		return end_of(e) <= s->edge;
	case PRD_KIND_BACKWARD:
		return e->offset >= s->edge;
	case PRD_KIND_STRIDED:
		return in_stride(s, e->offset, &piece) &&
		       (s->delta > 0 ? e->offset < s->edge : e->offset > s->edge);
	default:
		return false;
	}
}

/* Bytes advised for it and not yet passed. */
uint64_t prd_claim(const struct prd_stream *s)
{
	if (!s->live)
		return 0;
	switch (s->kind) {
	case PRD_KIND_FORWARD:
		return s->edge > s->pos ? s->edge - s->pos : 0;
	case PRD_KIND_BACKWARD:
		return s->pos > s->edge ? s->pos - s->edge : 0;
	case PRD_KIND_STRIDED: {
		int64_t pieces = (int64_t)(s->edge - s->pos) / s->delta;

		if (pieces <= 1)
			return 0;
		return (uint64_t)(pieces - 1) * (s->joined ? prd_magnitude(s->delta) : s->run);
	}
	default:
		return 0;
	}
}

enum prd_behaviour prd_behaviour(const struct prd *d, const struct prd_stream *s)
{
	switch (s->kind) {
	case PRD_KIND_FORWARD:
		if (s->reordered)
			return PRD_REORDERED;
		if (s->sparse)
			return PRD_SPARSE;
		/* With hysteresis: two streams that take turns are not told at every turn. */
		if (s->reported == PRD_INTERLEAVED + 1)
			return prd_file(d, s->file)->switches ? PRD_INTERLEAVED
							      : PRD_CONSECUTIVE;
		return prd_file(d, s->file)->switches >= 8 ? PRD_INTERLEAVED : PRD_CONSECUTIVE;
	case PRD_KIND_BACKWARD:
		return s->reordered ? PRD_REORDERED : PRD_BACKWARD;
	case PRD_KIND_STRIDED:
		/* Where a quarter or more is read we speak of skips, else of strides. */
		if (s->delta > 0 && (uint64_t)s->delta <= 4 * (uint64_t)s->run)
			return PRD_SPARSE;
		return PRD_STRIDED;
	default:
		return PRD_RANDOM;
	}
}
