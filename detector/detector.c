/* detector.c - the arena, and what becomes of an event. */
#include "detector/internal.h"

/* After so many reads in a row without a wait a file is dormant; and after as much as the
 * kernel's windows hold, for small reads wait only once a window. */
#define CALM_READS 32
#define CALM_KIB   512
#define CALM_MANY  512

static uint64_t round64(uint64_t bytes)
{
	return (bytes + 63) & ~(uint64_t)63;
}

static uint64_t fixed_part(uint32_t files)
{
	return round64(sizeof(struct prd)) + round64(files * sizeof(struct prd_file)) +
	       round64(PRD_RINGS * sizeof(struct prd_ring));
}

uint64_t prd_arena_min(uint32_t files)
{
	return fixed_part(files) + 64 * KIB;
}

/* The largest power of two not above. */
static uint64_t power_below(uint64_t value)
{
	uint64_t power = 1;

	while (power <= value / 2)
		power *= 2;
	return power;
}

/*
 * Half of what is left goes to the streams, a quarter to the index (16 bytes a stream, half
 * full at most), a quarter to the quiet intervals (32 bytes an entry).
 */
struct prd *prd_init(void *arena, uint64_t bytes, const struct prd_limits *limits)
{
	struct prd *d = arena;
	char *next = arena;
	uint64_t rest, quiet, index;

	if (!arena || bytes < prd_arena_min(limits->files) ||
	    (limits->files & (limits->files - 1)) || !limits->files)
		return NULL;
	rest = prd_min(bytes, (uint64_t)8 << 30) - fixed_part(limits->files) - 256;
	quiet = power_below(rest / 4 / sizeof(struct prd_quiet));
	index = power_below(rest / 4 / sizeof(struct prd_entry));

	next += round64(sizeof(*d));
	d->files = (struct prd_file *)next;
	next += round64(limits->files * sizeof(struct prd_file));
	d->rings = (struct prd_ring *)next;
	next += round64(PRD_RINGS * sizeof(struct prd_ring));
	d->front.quiet = (struct prd_quiet *)next;
	d->front.quiet_shift = 64 - (uint32_t)__builtin_ctzll(quiet);
	next += round64(quiet * sizeof(struct prd_quiet));
	d->index = (struct prd_entry *)next;
	d->index_mask = (uint32_t)(index - 1);
	next += round64(index * sizeof(struct prd_entry));
	d->streams = (struct prd_stream *)next;
	d->capacity = (uint32_t)prd_min(rest / 2 / sizeof(struct prd_stream), index / 2);
	d->limits = *limits;
	d->free = PRD_NONE;
	return d;
}

const struct prd_front *prd_front(const struct prd *d)
{
	return &d->front;
}

uint64_t prd_ahead(const struct prd *d)
{
	return d->ahead;
}

uint32_t prd_streams(const struct prd *d)
{
	return d->alive;
}

uint32_t prd_numbers(const struct prd *d)
{
	return d->fresh;
}

/* The file's place; first emptied if another file had it. */
static struct prd_file *enter_file(struct prd *d, uint32_t id)
{
	struct prd_file *file = prd_file(d, id);

	if (file->id != id || !file->known)
		*file = (struct prd_file){.id = id, .known = 1, .last = PRD_NONE};
	return file;
}

static void describe(const struct prd *d, const struct prd_stream *s, struct prd_plan *plan)
{
	plan->stream = prd_id(d, s);
	plan->behaviour = prd_behaviour(d, s);
	plan->window = s->window;
	if (s->kind == PRD_KIND_STRIDED) {
		plan->delta = s->delta;
		plan->run = s->run;
	}
}

static enum prd_verdict judge(bool covered, bool timed, bool waited)
{
	if (!timed)
		return PRD_QUIET;
	if (covered)
		return waited ? PRD_LATE : PRD_HIT;
	return waited ? PRD_MISS : PRD_FREE;
}

/*
 * A read inside a quiet interval is reported only by a caller that wants exact figures. It is
 * attributed, and changes nothing: whether somebody counts must not alter what is done.
 */
static bool was_quiet(struct prd *d, const struct prd_turn *t)
{
	const struct prd_event *e = t->event;
	const struct prd_quiet *q;
	struct prd_stream *s;

	if (prd_before(&d->front, e->file, e->offset, e->asked))
		return false;
	q = prd_quiet_slot(&d->front, e->file, e->offset);
	s = &d->streams[q->tag >> 32];
	if (s->kind == PRD_KIND_FREE || s->file != e->file) {
		t->plan->verdict = judge(false, e->wait_ns != PRD_UNTIMED, t->waited);
		return true;
	}
	describe(d, s, t->plan);
	t->plan->verdict = judge(prd_covers(s, e), e->wait_ns != PRD_UNTIMED, t->waited);
	return true;
}

static void count_calm(struct prd_file *file, const struct prd_turn *t)
{
	if (t->waited) {
		file->calm = 0;
		file->calm_kib = 0;
	} else if (t->plan->verdict == PRD_FREE) {
		file->calm = file->calm < CALM_MANY ? file->calm + 1 : CALM_MANY;
		file->calm_kib += prd_clamp32(t->event->done / KIB);
		if (file->calm_kib > CALM_KIB)
			file->calm_kib = CALM_KIB;
	}
	t->plan->dormant = file->calm >= CALM_MANY ||
			   (file->calm >= CALM_READS && file->calm_kib >= CALM_KIB);
}

static void count_switch(struct prd_file *file, uint32_t stream)
{
	if (file->last != stream)
		file->switches = file->switches < 60 ? file->switches + 4 : 64;
	else if (file->switches)
		file->switches--;
	file->last = stream;
}

/* Counts the stream among those of this second, if it is its first event in it. */
static void count_seen(struct prd *d, const struct prd_stream *s, uint64_t now_ns)
{
	uint32_t second = (uint32_t)(now_ns >> 30);

	if (second != d->second) {
		d->seen_before = second == d->second + 1 ? d->seen_now : 0;
		d->seen_now = 0;
		d->second = second;
	}
	if (!s->reported || s->last >> 14 != (second & 0x3ffff))
		d->seen_now++;
}

/* A proven stream took the read: account for its progress and see to its window. */
static void go_on(struct prd *d, struct prd_stream *s, struct prd_turn *t, uint64_t claimed)
{
	struct prd_file *file = prd_file(d, s->file);
	uint64_t left = prd_claim(s), used = claimed > left ? claimed - left : 0;
	enum prd_behaviour behaviour;

	d->ahead -= prd_min(used, d->ahead);
	file->used += used;
	if (s->live)
		s->turn = ++file->turns;
	count_switch(file, prd_id(d, s));
	count_seen(d, s, t->event->now_ns);
	prd_window(d, s, t);
	behaviour = prd_behaviour(d, s);
	if (prd_ready(s) && s->reported != (uint32_t)behaviour + 1) {
		t->plan->found = !s->reported;
		t->plan->changed = !t->plan->found;
		s->reported = (uint32_t)behaviour + 1;
	}
}

static bool on_read(struct prd *d, struct prd_turn *t)
{
	const struct prd_event *e = t->event;
	struct prd_file *file = enter_file(d, e->file);
	struct prd_stream *s;
	uint64_t claimed = 0, pos = 0;
	bool covered = false;

	if (was_quiet(d, t))
		return false;
	file->reads++;
	s = prd_seek(d, e);
	if (s) {
		covered = prd_covers(s, e);
		claimed = prd_claim(s);
		pos = s->pos;
		prd_advance(s, e);
		t->progress = s->pos > pos ? s->pos - pos : pos - s->pos;
		if (s->kind == PRD_KIND_STRIDED)
			t->progress = t->progress / prd_magnitude(s->delta) * s->run;
	}
	t->plan->verdict = judge(covered, e->wait_ns != PRD_UNTIMED, t->waited);
	count_calm(file, t);
	if (!s || (!prd_ready(s) && s->kind != PRD_KIND_STRIDED))
		s = prd_pattern(d, e, s, t->plan);
	if (prd_ready(s))
		go_on(d, s, t, claimed);
	else
		file->last = prd_id(d, s);
	prd_hush(d, s, e, t->plan);
	s->hushed = t->plan->quiet_hi != 0;
	s->last = (uint32_t)(e->now_ns >> 16);
	if (!s->live)
		s->turn = file->reads;
	describe(d, s, t->plan);
	return true;
}

/*
 * What was planned had been cached: the window is not needed here. Once is chance (a cached
 * piece of a cold file), three times in a row is a file that somebody else has read.
 */
static void on_cached(struct prd *d, struct prd_stream *s)
{
	if (++s->cached < 3)
		return;
	s->cached = 0;
	/* Nothing was fetched for it, so nothing is wasted. */
	d->ahead -= prd_min(prd_claim(s), d->ahead);
	s->edge = s->pos;
	prd_retire(d, s, NULL);
}

void prd_after(struct prd *d, const struct prd_event *event, const struct prd_device *device,
	       uint64_t budget, struct prd_plan *plan)
{
	struct prd_turn t = {.event = event, .device = device, .plan = plan, .budget = budget};
	struct prd_stream *s = &d->streams[event->stream];

	*plan = (struct prd_plan){
		.stream = PRD_NONE, .behaviour = PRD_RANDOM, .ended = PRD_NONE};
	t.waited = event->wait_ns && event->wait_ns != PRD_UNTIMED;
	switch (event->kind) {
	case PRD_READ:
		if (!event->done)
			return;
		if (on_read(d, &t))
			prd_sweep(d, plan);
		return;
	case PRD_MORE:
		if (event->stream >= d->fresh || !s->live || s->file != event->file)
			return;
		prd_plan_next(d, s, &t);
		prd_hush(d, s, event, plan);
		describe(d, s, plan);
		return;
	case PRD_CACHED:
		if (event->stream < d->fresh && s->live && s->file == event->file)
			on_cached(d, s);
		return;
	}
}
