/*
 * window.c - how far ahead, and what to plan.
 *
 * A window is doubled by every wait at its mark and bounded by the least of: window_max; the
 * budget shared by the streams alive; four times what arrives in one latency at the stream's
 * own rate (rule 12 of the literature cited in detector.h: more cannot shorten any wait); and
 * the room that the device has for requests.
 */
#include "detector/internal.h"

/* With less than 2 of 5 bytes read a run is no run; judged over 64 KiB at least. */
#define SKIP_READ  2
#define SKIP_SPAN  5
#define SKIP_JUDGE (64 * KIB / 256)
/* Reads that a skipping stream is looked at after each trip, to see whether it still does. */
#define WATCH 4

/*
 * A plain forward run is left to the kernel up to its own window. Where distance costs time,
 * also until a window is worth its seek: as long to transfer as to get there. Smaller advice
 * would only break the kernel's windows up (16 runs merged became twice as slow).
 */
static uint64_t worth_a_seek(const struct prd_device *device)
{
	return device->bytes_per_s / 1000000 * (device->positioning_ns / 1000);
}

static bool plain_forward(const struct prd_stream *s)
{
	return s->kind == PRD_KIND_FORWARD && !s->sparse && !s->reordered;
}

static uint64_t kernel_does(const struct prd_stream *s, const struct prd_device *device)
{
	return plain_forward(s) ? prd_max(device->readahead, worth_a_seek(device)) : 0;
}

/* Bytes a second since the stream was last seen; 0: too short to say. */
static uint64_t rate_of(const struct prd_stream *s, const struct prd_turn *t)
{
	uint32_t elapsed = (uint32_t)(t->event->now_ns >> 16) - s->last;

	return elapsed ? t->progress * 15259 / elapsed : 0; /* 10^9 / 2^16 */
}

/* No window may be larger: what the user set, and the stream's share of the budget. */
static uint64_t largest(const struct prd *d, const struct prd_turn *t)
{
	uint64_t streams = prd_max(1, prd_max(d->seen_now, d->seen_before));
	uint64_t most = prd_min(d->limits.window_max, 1024 * (uint64_t)MIB);

	return prd_min(most, t->budget / streams);
}

/*
 * None needs to grow beyond: more than what arrives in four latencies cannot shorten a wait.
 * It bounds growth alone - a rate is a snapshot, and a slow moment is no reason to shrink.
 */
static uint64_t useful(const struct prd_stream *s, const struct prd_turn *t)
{
	const struct prd_device *device = t->device;
	uint64_t rate = rate_of(s, t), most;

	if (!device->latency_ns || !rate)
		return UINT64_MAX;
	most = 4 * (rate / 1000000 * (device->latency_ns / 1000));
	/* A rate measured while all reads waited says little: leave room to learn. */
	most = prd_max(most, prd_max(4 * device->readahead, 512 * KIB));
	return prd_max(most, 4 * worth_a_seek(device));
}

/* How many of the bytes from one window on may be asked for without blocking? */
static uint64_t fitting(const struct prd_device *device, uint64_t length)
{
	uint64_t request = device->request ? device->request : length;

	return prd_min(length, device->room * request);
}

static void add_extent(struct prd_plan *plan, uint64_t from, uint64_t to)
{
	if (to > from && plan->extents < PRD_EXTENTS)
		plan->extent[plan->extents++] = (struct prd_extent){from, to - from};
}

/*
 * A hole is worth reading through when that costs less than the request it saves. A request
 * takes up one of the device's channels for a latency; on a disk with seeks neighbours are
 * served on the way, and cost no more than the hole. Bandwidth, where it is not known, is
 * taken as low, and no more is read for nothing than is read: to waste is the worse mistake.
 */
static uint64_t hole_worth_reading(const struct prd_stream *s, const struct prd_device *device)
{
	uint64_t rate = device->bytes_per_s ? device->bytes_per_s : 100000000;

	if (device->positioning_ns || !device->latency_ns || !device->channels)
		return PRD_GAP_MIN;
	rate = rate / 1000000 * (device->latency_ns / 1000) / device->channels;
	return prd_max(PRD_GAP_MIN, prd_min(rate, s->run));
}

/* Adds a piece; to the last extent, if the hole between them is no longer than `hole` and the
 * whole no longer than a request. Returns whether a further request was needed. */
static bool add_piece(struct prd_plan *plan, uint64_t from, uint64_t to, uint64_t hole,
		      uint64_t request)
{
	struct prd_extent *last = plan->extents ? &plan->extent[plan->extents - 1] : NULL;
	uint64_t low, high;

	if (last) {
		low = prd_min(last->offset, from);
		high = prd_max(last->offset + last->length, to);
		if (high - low <= prd_min(request, last->length + hole + (to - from))) {
			*last = (struct prd_extent){low, high - low};
			return false;
		}
	}
	add_extent(plan, from, to);
	return true;
}

static void plan_forward(struct prd_stream *s, const struct prd_turn *t, uint64_t window)
{
	uint64_t from = s->live && s->edge > s->pos ? s->edge : s->pos, to;

	if (from >= t->event->file_size)
		return;
	to = from + fitting(t->device, prd_min(window, t->event->file_size - from));
	if (to < t->event->file_size && to / PRD_GAP_MIN > from / PRD_GAP_MIN)
		to -= to % PRD_GAP_MIN;
	if (to == from)
		return;
	add_extent(t->plan, from, to);
	s->edge = to;
	s->lead = prd_clamp32(to - from);
}

/* From the top down: what is read first comes first. */
static void plan_backward(struct prd_stream *s, const struct prd_turn *t, uint64_t window)
{
	uint64_t from = s->live && s->edge < s->pos ? s->edge : s->pos, to, step;

	if (s->pos > t->event->file_size)
		return;
	from = prd_min(from, t->event->file_size);
	to = from - fitting(t->device, prd_min(window, from));
	if (from - to > PRD_GAP_MIN && to % PRD_GAP_MIN)
		to += PRD_GAP_MIN - to % PRD_GAP_MIN;
	if (to == from)
		return;
	step = prd_max((from - to) / 4, prd_min(window, 128 * KIB));
	for (uint64_t top = from; top > to;) {
		uint64_t low = top - prd_min(step, top - to);

		if (low - to < step / 2)
			low = to;
		add_extent(t->plan, low, top);
		top = low;
	}
	s->edge = to;
	s->lead = prd_clamp32(from - to);
}

static void plan_strided(struct prd_stream *s, const struct prd_turn *t, uint64_t window)
{
	uint64_t channels = t->device->channels ? t->device->channels : 64, pieces, lead;
	uint64_t request = t->device->request ? t->device->request : MIB;
	uint64_t room = t->device->room / ((s->run + request - 1) / request);
	uint64_t length = prd_magnitude(s->delta), hole = hole_worth_reading(s, t->device);
	uint64_t size = t->event->file_size;
	int64_t behind;

	s->joined = length - prd_min(s->run, length) <= hole;
	if (s->joined)
		channels *= prd_max(1, request / length);
	pieces = prd_min(window / (s->joined ? length : s->run), channels);
	if (!pieces)
		return;
	lead = prd_max(1, (pieces + 1) / 4);
	if (lead > 1)
		pieces = 4 * lead - 1;
	behind = s->live ? (int64_t)(s->edge - s->pos) / s->delta : 0;
	if (behind < 1) {
		s->edge = s->pos + (uint64_t)s->delta;
		behind = 1;
	}
	/* An edge below zero has wrapped to far beyond the file. */
	for (; (uint64_t)behind <= pieces && room && s->edge < size; behind++) {
		if (t->plan->extents == PRD_EXTENTS) {
			t->plan->more = true;
			break;
		}
		room -= add_piece(t->plan, s->edge, prd_min(s->edge + s->run, size), hole,
				  request);
		s->edge += (uint64_t)s->delta;
	}
	/* A batch for each quarter of the distance, so that the device never runs dry. */
	s->lead = (uint32_t)prd_max(1, prd_min(lead, (uint64_t)behind - 1));
}

void prd_plan_next(struct prd *d, struct prd_stream *s, const struct prd_turn *t)
{
	uint64_t window = s->window, before = prd_claim(s), after;

	if (d->ahead + window > t->budget)
		window = d->ahead < t->budget ? t->budget - d->ahead : 0;
	if (window < prd_min(s->window, d->limits.window_min) ||
	    window <= kernel_does(s, t->device))
		return;
	if (s->kind == PRD_KIND_STRIDED)
		plan_strided(s, t, window);
	else if (s->kind == PRD_KIND_FORWARD)
		plan_forward(s, t, window);
	else
		plan_backward(s, t, window);
	if (!t->plan->extents)
		return;
	if (!s->live) {
		s->live = 1;
		s->turn = prd_file(d, s->file)->turns;
		d->live++;
		prd_file(d, s->file)->streams++;
		before = 0;
	}
	after = prd_claim(s);
	d->ahead += after > before ? after - before : 0;
}

/*
 * Publishes the interval in which the stream need not be looked at, and indexes the stream at
 * its end, where the next trip is due. An interval longer than PRD_PUBLISH buckets is
 * published in parts.
 */
static void publish(struct prd *d, struct prd_stream *s, uint64_t lo, uint64_t hi,
		    uint64_t from, int64_t step, unsigned count)
{
	for (unsigned i = 0; i < count; i++, from += (uint64_t)step) {
		struct prd_quiet *q = prd_quiet_slot(&d->front, s->file, from);

		__atomic_store_n(&q->lo, lo, __ATOMIC_RELAXED);
		__atomic_store_n(&q->hi, hi, __ATOMIC_RELAXED);
		__atomic_store_n(&q->tag, (uint64_t)prd_id(d, s) << 32 | (s->file + 1),
				 __ATOMIC_RELAXED);
	}
}

/* A stream that is gone must not keep its reads quiet. */
void prd_unhush(struct prd *d, struct prd_stream *s)
{
	uint64_t bucket = (uint64_t)1 << PRD_BUCKET_SHIFT, from = s->pos, length;
	unsigned count = PRD_PUBLISH + 1;
	int64_t step = (int64_t)bucket;

	if (!s->hushed)
		return;
	length = prd_magnitude(s->delta);
	if (s->kind == PRD_KIND_STRIDED && length >= bucket) {
		step = s->delta;
	} else if (s->kind == PRD_KIND_BACKWARD ||
		   (s->kind == PRD_KIND_STRIDED && s->delta < 0)) {
		from = s->pos + PRD_REACH;
		step = -step;
		count += PRD_REACH / bucket;
	} else {
		from = s->pos - prd_min(s->pos, PRD_REACH);
		count += PRD_REACH / bucket;
	}
	for (unsigned i = 0; i < count; i++, from += (uint64_t)step) {
		struct prd_quiet *q = prd_quiet_slot(&d->front, s->file, from);

		if (q->tag == ((uint64_t)prd_id(d, s) << 32 | (s->file + 1)))
			__atomic_store_n(&q->tag, 0, __ATOMIC_RELAXED);
	}
	s->hushed = 0;
}

static void hush_run(struct prd *d, struct prd_stream *s, const struct prd_event *e,
		     struct prd_plan *plan)
{
	uint64_t bucket = (uint64_t)1 << PRD_BUCKET_SHIFT, most = PRD_PUBLISH * bucket;
	uint64_t slack = s->reordered ? PRD_REACH : PRD_SKIP, mark;
	bool up = s->kind == PRD_KIND_FORWARD;

	if (up) {
		mark = s->edge >= e->file_size && s->edge - s->lead <= s->pos
			       ? s->edge
			       : s->edge - s->lead;
		plan->quiet_lo = s->pos - prd_min(slack, s->pos);
		plan->quiet_hi = prd_min(prd_max(mark, s->pos), s->pos + most - bucket);
	} else {
		mark = s->edge + s->lead >= s->pos && !s->edge ? 0 : s->edge + s->lead;
		plan->quiet_hi = s->pos + slack;
		plan->quiet_lo = prd_min(mark, s->pos);
		if (s->pos > most - bucket)
			plan->quiet_lo = prd_max(plan->quiet_lo, s->pos - (most - bucket));
	}
	prd_link(d, s, up ? plan->quiet_hi : plan->quiet_lo);
	if (up ? plan->quiet_hi <= s->pos : plan->quiet_lo >= s->pos) {
		plan->quiet_lo = plan->quiet_hi = 0;
		return;
	}
	publish(d, s, plan->quiet_lo, plan->quiet_hi, plan->quiet_lo, (int64_t)bucket,
		(unsigned)((plan->quiet_hi - 1) / bucket - plan->quiet_lo / bucket + 1));
	s->hushed = 1;
}

static void hush_stride(struct prd *d, struct prd_stream *s, struct prd_plan *plan)
{
	uint64_t length = prd_magnitude(s->delta), bucket = (uint64_t)1 << PRD_BUCKET_SHIFT;
	uint64_t pieces = prd_min(s->lead, PRD_PUBLISH), span = pieces * length;

	if (s->delta > 0) {
		plan->quiet_lo = s->pos;
		plan->quiet_hi = s->pos + span;
	} else {
		plan->quiet_lo = s->pos - prd_min(span > s->run ? span - s->run : 0, s->pos);
		plan->quiet_hi = s->pos + s->run;
	}
	prd_link(d, s, s->pos + (uint64_t)((int64_t)pieces * s->delta));
	if (length < bucket)
		publish(d, s, plan->quiet_lo, plan->quiet_hi, plan->quiet_lo, (int64_t)bucket,
			(unsigned)prd_min((plan->quiet_hi - 1) / bucket -
						  plan->quiet_lo / bucket + 1,
					  PRD_PUBLISH));
	else
		for (uint64_t i = 0, at = s->pos; i < pieces; i++, at += (uint64_t)s->delta)
			publish(d, s, at, at + s->run, at, 0, 1);
	s->hushed = 1;
}

void prd_hush(struct prd *d, struct prd_stream *s, const struct prd_event *e,
	      struct prd_plan *plan)
{
	if (s->live && !s->watch && !plan->more) {
		if (s->kind == PRD_KIND_STRIDED)
			hush_stride(d, s, plan);
		else
			hush_run(d, s, e, plan);
		return;
	}
	s->watch -= s->watch != 0;
	prd_link(d, s, s->kind == PRD_KIND_STRIDED ? s->pos + (uint64_t)s->delta : s->pos);
}

/* Has the read reached the mark, or jumped over all that was planned? */
static bool at_mark(const struct prd_stream *s)
{
	switch (s->kind) {
	case PRD_KIND_FORWARD:
		return s->pos > s->edge - s->lead;
	case PRD_KIND_BACKWARD:
		return s->pos < s->edge + s->lead;
	default:
		return true; /* pieces are topped up at every trip */
	}
}

/* A run that skips: reads it enough of its span, and is that known? */
static bool too_sparse(struct prd_stream *s)
{
	uint32_t span = (uint32_t)s->read_units + s->skip_units;

	if (s->kind == PRD_KIND_STRIDED || s->reordered || span < SKIP_JUDGE)
		return false;
	s->proven = 1;
	return s->read_units * SKIP_SPAN < span * SKIP_READ;
}

static bool unproven(const struct prd_stream *s)
{
	return s->sparse && s->kind != PRD_KIND_STRIDED && !s->proven;
}

/* What a file has wasted so far decides how much proof a further stream of it must bring. */
static uint32_t caution(const struct prd_file *file)
{
	if (file->wasted <= file->used / 8 + MIB)
		return 0;
	if (file->wasted <= file->used)
		return 6;
	return 24;
}

/* A forward run whose skips repeat becomes a stride, if its gaps are worth leaving out. */
static void become_regular(struct prd_stream *s)
{
	if (s->live || s->regular < 2 || s->kind != PRD_KIND_FORWARD || s->reordered ||
	    prd_magnitude(s->delta) - s->run <= PRD_GAP_MIN)
		return;
	s->kind = PRD_KIND_STRIDED;
	s->pos -= s->run_now;
	s->score = 4;
}

/*
 * Doubled. On a disk with seeks a plain run would be over before doublings from window_min
 * come to what is worth a seek; so it begins there, once it has read a quarter as much: what
 * is wasted if it then ends is in proportion to what it read.
 */
static void grow(struct prd *d, struct prd_stream *s, const struct prd_turn *t)
{
	uint64_t window = s->window ? 2 * (uint64_t)s->window : d->limits.window_min;
	uint64_t worth = 2 * worth_a_seek(t->device);

	if (worth && plain_forward(s) && s->run_now >= worth / 4)
		window = prd_max(window, worth);
	if (s->kind == PRD_KIND_STRIDED)
		window = prd_max(window, 2 * (uint64_t)s->run);
	s->window = (uint32_t)prd_min(window, prd_max(s->window, useful(s, t)));
}

void prd_window(struct prd *d, struct prd_stream *s, const struct prd_turn *t)
{
	struct prd_file *file = prd_file(d, s->file);
	bool due = at_mark(s);

	become_regular(s);
	if (too_sparse(s)) {
		prd_retire(d, s, t->plan);
		s->kind = PRD_KIND_NEW;
	}
	if (!prd_ready(s))
		return;
	if (!s->live && (s->score < 2 + caution(file) || unproven(s)))
		return;
	if (t->waited && (due || !s->live))
		grow(d, s, t);
	s->window = (uint32_t)prd_min(s->window, largest(d, t));
	if (!s->window || (s->live && !due) ||
	    !(d->limits.patterns & 1u << prd_behaviour(d, s)))
		return;
	if (s->sparse && s->kind != PRD_KIND_STRIDED)
		s->watch = WATCH;
	prd_plan_next(d, s, t);
}
