/* context.c - the streams of all files: found by position, made, and dropped. */
#include "detector/internal.h"

static uint32_t tag_of(uint32_t file, uint64_t offset)
{
	return (uint32_t)(prd_hash(file, offset >> PRD_BUCKET_SHIFT) * 0x9e3779b97f4a7c15u >>
			  32);
}

uint32_t prd_id(const struct prd *d, const struct prd_stream *s)
{
	return (uint32_t)(s - d->streams);
}

static void unlink_stream(struct prd *d, struct prd_stream *s)
{
	uint32_t mask = d->index_mask, hole = s->slot, i = hole;

	if (hole == PRD_NONE)
		return;
	s->slot = PRD_NONE;
	/* Backward shift: an entry moves into the hole, but never before its home. */
	for (;;) {
		i = (i + 1) & mask;
		if (!d->index[i].stream)
			break;
		if (((i - d->index[i].tag) & mask) < ((i - hole) & mask))
			continue;
		d->index[hole] = d->index[i];
		d->streams[d->index[hole].stream - 1].slot = hole;
		hole = i;
	}
	d->index[hole].stream = 0;
}

void prd_link(struct prd *d, struct prd_stream *s, uint64_t home)
{
	uint32_t tag = tag_of(s->file, home), i = tag & d->index_mask;

	if (s->slot != PRD_NONE && d->index[s->slot].tag == tag)
		return;
	unlink_stream(d, s);
	while (d->index[i].stream)
		i = (i + 1) & d->index_mask;
	d->index[i].tag = tag;
	d->index[i].stream = prd_id(d, s) + 1;
	s->slot = i;
}

/*
 * The stream with that key which claims the read. One that the read touches directly wins over
 * one that merely tolerates it. Of the others, the oldest unproven is remembered when there
 * are too many, so that a crowd in one place (a hot area read at random) stays bounded.
 */
static struct prd_stream *probe(struct prd *d, const struct prd_event *e, uint64_t home)
{
	uint32_t tag = tag_of(e->file, home), i = tag & d->index_mask, crowd = 0;
	uint32_t reads = prd_file(d, e->file)->reads;
	struct prd_stream *oldest = NULL;

	for (; d->index[i].stream; i = (i + 1) & d->index_mask) {
		struct prd_stream *s = &d->streams[d->index[i].stream - 1];

		if (d->index[i].tag != tag || s->file != e->file)
			continue;
		crowd++;
		if (!prd_ready(s) && reads - s->turn > PRD_MEMORY)
			crowd = PRD_CROWD;
		else if (prd_claims(s, e))
			return s;
		if (s->kind == PRD_KIND_NEW &&
		    (!oldest || (int32_t)(s->turn - oldest->turn) < 0))
			oldest = s;
	}
	if (crowd >= PRD_CROWD && oldest)
		prd_drop(d, oldest, NULL);
	return NULL;
}

/*
 * A stream is indexed at the place where its next trip is due, so three keys suffice for a
 * read that comes as foretold: its offset (forward, strided), its end (backward), and the end
 * of the read before a backward one. A read that tripped elsewhere - its quiet entry was
 * overwritten, observations were lost, or it comes out of order - is looked for in the
 * neighbourhood, but only in files that have a window at all.
 */
struct prd_stream *prd_seek(struct prd *d, const struct prd_event *e)
{
	struct prd_file *file = prd_file(d, e->file);
	uint64_t bucket = (uint64_t)1 << PRD_BUCKET_SHIFT, keys[3], key;
	struct prd_stream *s;

	if (file->last != PRD_NONE) {
		s = &d->streams[file->last];
		if (s->file == e->file && prd_claims(s, e))
			return s;
	}
	keys[0] = e->offset;
	keys[1] = e->offset + e->done;
	keys[2] = e->offset + 2 * e->done;
	for (int i = 0; i < 3; i++) {
		if (i && keys[i] >> PRD_BUCKET_SHIFT == keys[i - 1] >> PRD_BUCKET_SHIFT)
			continue;
		s = probe(d, e, keys[i]);
		if (s)
			return s;
	}
	if (!file->streams)
		return NULL;
	for (uint64_t i = 1; i <= PRD_REACH / bucket; i++) {
		key = e->offset + i * bucket;
		s = probe(d, e, key);
		if (!s && e->offset >= i * bucket)
			s = probe(d, e, e->offset - i * bucket);
		if (s)
			return s;
	}
	return NULL;
}

static void settle(struct prd *d, struct prd_stream *s)
{
	struct prd_file *file = prd_file(d, s->file);
	uint64_t claim = prd_claim(s);

	if (!s->live)
		return;
	d->ahead -= prd_min(claim, d->ahead);
	d->live--;
	s->live = 0;
	if (file->id != s->file)
		return;
	file->wasted += claim;
	if (file->streams)
		file->streams--;
	/* What happened long ago should not decide for ever. */
	if (file->used + file->wasted > 256 * (uint64_t)MIB) {
		file->used /= 2;
		file->wasted /= 2;
	}
}

static void report_end(const struct prd *d, const struct prd_stream *s, uint64_t claim,
		       struct prd_plan *plan)
{
	if (!plan || !s->reported || plan->ended != PRD_NONE)
		return;
	plan->ended = prd_id(d, s);
	plan->ended_waste = claim;
}

/* Gives a stream's window up; the stream starts over where it stands. */
void prd_retire(struct prd *d, struct prd_stream *s, struct prd_plan *plan)
{
	report_end(d, s, prd_claim(s), plan);
	settle(d, s);
	prd_unhush(d, s);
	s->turn = prd_file(d, s->file)->reads;
	s->window = 0;
	s->score = 0;
	s->regular = 0;
	s->sparse = 0;
	s->proven = 0;
	s->reordered = 0;
	s->reported = 0;
	s->read_units = 0;
	s->skip_units = 0;
}

void prd_drop(struct prd *d, struct prd_stream *s, struct prd_plan *plan)
{
	report_end(d, s, prd_claim(s), plan);
	settle(d, s);
	prd_unhush(d, s);
	unlink_stream(d, s);
	if (prd_file(d, s->file)->last == prd_id(d, s))
		prd_file(d, s->file)->last = PRD_NONE;
	s->kind = PRD_KIND_FREE;
	s->reported = 0;
	s->slot = d->free;
	d->free = prd_id(d, s);
	d->alive--;
}

/*
 * What never foretold a read goes first; among proven streams the one not seen for longest.
 * The hand jumps now and then: old streams lie next to each other, and a clock that only met
 * those would drop one a lap.
 */
static void replace(struct prd *d, struct prd_plan *plan)
{
	struct prd_stream *victim = NULL;

	for (int i = 0; i < 128; i++) {
		struct prd_stream *s = &d->streams[d->hand];

		if (i % 32 == 31)
			d->hand =
				(uint32_t)((d->hand + (uint64_t)d->capacity / 3) % d->capacity);
		d->hand = d->hand + 1 < d->capacity ? d->hand + 1 : 0;
		if (s->kind == PRD_KIND_NEW) {
			victim = s;
			break;
		}
		if (!victim || (int32_t)(s->last - victim->last) < 0)
			victim = s;
	}
	prd_drop(d, victim, plan);
}

struct prd_stream *prd_make(struct prd *d, uint32_t file, struct prd_plan *plan)
{
	struct prd_stream *s;

	if (d->free == PRD_NONE && d->fresh == d->capacity)
		replace(d, plan);
	if (d->free != PRD_NONE) {
		s = &d->streams[d->free];
		d->free = s->slot;
	} else {
		s = &d->streams[d->fresh++];
	}
	*s = (struct prd_stream){.file = file, .slot = PRD_NONE, .kind = PRD_KIND_NEW};
	d->alive++;
	plan->made = true;
	return s;
}

/*
 * A window whose reader went away holds budget and hides its waste. It counts as abandoned
 * when the file's other streams had 64 turns each since its last, or when the file's place
 * went to another file. Two streams are looked at
 * per event, so the cost is flat and a full round is soon done where there are few.
 */
void prd_sweep(struct prd *d, struct prd_plan *plan)
{
	for (int i = 0; i < 2; i++) {
		struct prd_stream *s = &d->streams[d->sweep];
		const struct prd_file *file;

		d->sweep = d->sweep + 1 < d->fresh ? d->sweep + 1 : 0;
		if (s->kind == PRD_KIND_FREE || !s->live)
			continue;
		file = prd_file(d, s->file);
		if (file->id != s->file ||
		    (file->turns - s->turn > 64 * (file->streams + 4) && prd_claim(s))) {
			prd_drop(d, s, plan);
			return;
		}
	}
}
