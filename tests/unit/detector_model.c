/* detector_model.c - the model that the detector's tests run in; see detector.h. */
#include "tests/unit/detector.h"

#include <stdio.h>

#define PAGE 4096

struct page {
	uint64_t ready_ns; /* 0: not in the cache, nor on its way */
	bool advised, read;
};

const struct setup plain_setup = {
	.file_size = G,
	.arena = 16 * M,
	.budget = 256 * M,
	.think_ns = 5000,
	.files = 64,
	.patterns = UINT32_MAX,
	.window_min = 16 * K,
	.window_max = 64 * M,
	.device = {.latency_ns = 2000000,
		   .bytes_per_s = 2000000000,
		   .channels = 64,
		   .room = 64,
		   .request = M},
};

void model_open(struct model *m, const struct setup *setup)
{
	struct prd_limits limits = {.window_min = setup->window_min,
				    .window_max = setup->window_max,
				    .patterns = setup->patterns,
				    .files = setup->files};

	memset(m, 0, sizeof(*m));
	m->setup = *setup;
	cr_assert(!posix_memalign(&m->arena, 64, setup->arena));
	memset(m->arena, 0, setup->arena);
	m->d = prd_init(m->arena, setup->arena, &limits);
	cr_assert(m->d, "the arena of %lu bytes was refused", setup->arena);
	if (!setup->uncached)
		m->pages = calloc(setup->file_size / PAGE + 1, sizeof(*m->pages));
	m->now_ns = 1000000000;
	m->last_page = UINT64_MAX;
	m->file = 1;
	m->file_size = setup->file_size;
}

void model_close(struct model *m)
{
	uint64_t pages = m->pages ? m->setup.file_size / PAGE + 1 : 0;

	for (uint64_t i = 0; i < pages; i++) {
		m->tally.wasted += m->pages[i].advised && !m->pages[i].read ? PAGE : 0;
		m->tally.demand += m->pages[i].read ? PAGE : 0;
	}
	free(m->pages);
	free(m->arena);
	m->pages = NULL;
	m->arena = NULL;
	m->d = NULL;
}

static void fault(struct model *m, const char *what, uint64_t a, uint64_t b)
{
	if (!*m->fault)
		snprintf(m->fault, sizeof(m->fault), "read %lu: %s: %lu %lu", m->tally.reads,
			 what, a, b);
}

/* What must be true of every plan. */
static void judge_plan(struct model *m, const struct prd_plan *plan)
{
	const struct setup *s = &m->setup;
	uint64_t sum = 0, requests = 0;

	for (unsigned i = 0; i < plan->extents; i++) {
		struct prd_extent e = plan->extent[i];

		if (!e.length)
			fault(m, "empty extent", e.offset, i);
		if (e.offset >= m->file_size || e.length > m->file_size - e.offset)
			fault(m, "extent outside of the file", e.offset, e.length);
		for (unsigned j = 0; j < i; j++)
			if (e.offset < plan->extent[j].offset + plan->extent[j].length &&
			    plan->extent[j].offset < e.offset + e.length)
				fault(m, "extents overlap", e.offset, plan->extent[j].offset);
		sum += e.length;
		requests += s->device.request ? (e.length - 1) / s->device.request + 1 : 1;
	}
	if (sum > s->window_max)
		fault(m, "more than the largest window", sum, s->window_max);
	if (requests > s->device.room + (plan->extents > 4 ? 4 : plan->extents))
		fault(m, "more requests than there is room for", requests, s->device.room);
	if (prd_ahead(m->d) > s->budget + s->window_max)
		fault(m, "over the budget", prd_ahead(m->d), s->budget);
	if (plan->extents && !(s->patterns & 1u << plan->behaviour))
		fault(m, "advice for a behaviour that is off", plan->behaviour, sum);
	if (plan->quiet_lo > plan->quiet_hi)
		fault(m, "quiet interval upside down", plan->quiet_lo, plan->quiet_hi);
}

static void fetch(struct model *m, struct prd_extent e)
{
	uint64_t first = e.offset / PAGE, last = (e.offset + e.length - 1) / PAGE;
	uint64_t rate = m->setup.device.bytes_per_s;
	uint64_t start = m->busy_ns > m->now_ns ? m->busy_ns : m->now_ns;

	for (uint64_t i = first; i <= last && i <= m->setup.file_size / PAGE; i++) {
		struct page *p = &m->pages[i];

		/* Pieces that are not whole pages share their first and last ones. */
		if (p->advised && !p->read && i != first && i != last)
			m->tally.again += PAGE;
		if (p->ready_ns)
			continue;
		start += PAGE * (uint64_t)1000000000 / rate;
		p->ready_ns = start + m->setup.device.latency_ns;
		p->advised = true;
	}
	m->busy_ns = start;
}

static void act(struct model *m, const struct prd_plan *plan)
{
	uint64_t hash = m->tally.plan_hash;

	m->tally.plans += plan->extents != 0;
	m->tally.ended += plan->ended != PRD_NONE;
	m->tally.found += plan->found;
	judge_plan(m, plan);
	for (unsigned i = 0; i < plan->extents; i++) {
		struct prd_extent e = plan->extent[i];

		hash = (hash ^ e.offset ^ m->tally.reads << 40) * 0x100000001b3u;
		hash = (hash ^ e.length) * 0x100000001b3u;
		m->tally.advised += e.length;
		m->tally.extents++;
		if (m->advices < COUNT(m->advice))
			m->advice[m->advices++] = e;
		if (m->pages && e.length)
			fetch(m, e);
	}
	m->tally.plan_hash = hash;
}

/* Reads through the cache; returns how long it waited. A plain forward miss has the kernel
 * fetch its own window. */
static uint64_t through_cache(struct model *m, uint64_t offset, uint64_t length)
{
	uint64_t first = offset / PAGE, last = (offset + length - 1) / PAGE, until = m->now_ns;
	uint64_t ahead = m->setup.device.readahead / PAGE;

	if (last > m->setup.file_size / PAGE)
		last = m->setup.file_size / PAGE;
	for (uint64_t i = first; i <= last; i++) {
		struct page *p = &m->pages[i];

		if (!p->ready_ns) {
			p->ready_ns = m->now_ns + m->setup.device.latency_ns;
			for (uint64_t j = i + 1; i && m->pages[i - 1].read && j < i + ahead &&
						 j <= m->setup.file_size / PAGE;
			     j++)
				if (!m->pages[j].ready_ns)
					m->pages[j].ready_ns = p->ready_ns;
		}
		if (p->ready_ns > until)
			until = p->ready_ns;
		p->read = true;
	}
	return until - m->now_ns;
}

static void one_read(struct model *m, uint64_t offset, uint64_t asked, uint64_t done,
		     uint64_t wait_ns)
{
	struct prd_event e = {.kind = PRD_READ,
			      .file = m->file,
			      .offset = offset,
			      .asked = asked,
			      .done = done,
			      .file_size = m->file_size};
	bool trips = prd_before(prd_front(m->d), m->file, offset, asked);

	m->advices = 0;
	m->plan = (struct prd_plan){.stream = PRD_NONE, .ended = PRD_NONE};
	m->tally.waits += wait_ns != 0;
	m->now_ns += wait_ns;
	if (trips || m->setup.exact) {
		e.now_ns = m->now_ns;
		e.wait_ns = wait_ns;
		m->tally.sent++;
		prd_after(m->d, &e, &m->setup.device, m->setup.budget, &m->plan);
		m->tally.verdicts[m->plan.verdict]++;
		m->tally.behaviours[m->plan.behaviour]++;
		act(m, &m->plan);
		e.kind = PRD_MORE;
		for (int i = 0; m->plan.more; i++) {
			e.stream = m->plan.stream;
			prd_after(m->d, &e, &m->setup.device, m->setup.budget, &m->plan);
			act(m, &m->plan);
			if (i == 64) {
				fault(m, "a plan without an end", offset, asked);
				break;
			}
		}
	}
	m->now_ns += m->setup.think_ns * (done + PAGE - 1) / PAGE;
	m->tally.reads++;
}

void model_timed(struct model *m, uint64_t offset, uint64_t length, uint64_t wait_ns)
{
	one_read(m, offset, length, length, wait_ns);
}

void model_partial(struct model *m, uint64_t offset, uint64_t asked, uint64_t done)
{
	one_read(m, offset, asked, done, m->pages && done ? through_cache(m, offset, done) : 0);
}

void model_read(struct model *m, uint64_t offset, uint64_t length)
{
	model_partial(m, offset, length, length);
}

uint64_t waits_of(const struct tally *t)
{
	return t->reads ? t->waits * 1000 / t->reads : 0;
}

uint64_t waste_of(const struct tally *t)
{
	return t->advised ? t->wasted * 1000 / t->advised : 0;
}

struct tally check_trace(const char *name, const struct setup *setup, trace *run, uint64_t seed)
{
	static const char *const how[] = {"as a program", "again", "every read sent"};
	struct tally first = {0};

	for (int i = 0; i < 3; i++) {
		struct setup mine = *setup;
		struct model m;

		mine.exact = i == 2;
		model_open(&m, &mine);
		run(&m, seed);
		model_close(&m);
		cr_expect(!*m.fault, "%s, seed %lu, %s: %s", name, seed, how[i], m.fault);
		if (!i)
			first = m.tally;
		cr_expect(m.tally.plan_hash == first.plan_hash &&
				  m.tally.extents == first.extents,
			  "%s, seed %lu, %s: other plans: %lu extents, %lu at first", name,
			  seed, how[i], m.tally.extents, first.extents);
	}
	if (getenv("TEST_VERBOSE"))
		fprintf(stderr,
			"%s: %lu reads, %lu sent, %lu waits (%lu/1000), advised %lu K in %lu "
			"extents, again %lu K, wasted %lu K (%lu/1000), demand %lu K\n",
			name, first.reads, first.sent, first.waits, waits_of(&first),
			first.advised / K, first.extents, first.again / K, first.wasted / K,
			waste_of(&first), first.demand / K);
	return first;
}

static void check_row(const char *name, size_t line, const struct model *m,
		      const struct row *row)
{
	unsigned expected = 0;

	while (expected < COUNT(row->advice) && row->advice[expected].length)
		expected++;
	cr_expect(m->advices == expected,
		  "%s, row %zu: %u extents instead of %u (first %lu+%lu)", name, line,
		  m->advices, expected, m->advices ? m->advice[0].offset : 0,
		  m->advices ? m->advice[0].length : 0);
	for (unsigned i = 0; i < expected && i < m->advices; i++)
		cr_expect(m->advice[i].offset == row->advice[i].offset &&
				  m->advice[i].length == row->advice[i].length,
			  "%s, row %zu, extent %u: %lu+%lu instead of %lu+%lu", name, line, i,
			  m->advice[i].offset, m->advice[i].length, row->advice[i].offset,
			  row->advice[i].length);
}

void check_rows(const char *name, const struct setup *setup, const struct row *rows,
		size_t count)
{
	for (int exact = 0; exact < 2; exact++) {
		struct setup mine = *setup;
		struct model m;

		mine.exact = exact;
		mine.uncached = true;
		model_open(&m, &mine);
		for (size_t i = 0; i < count; i++) {
			model_timed(&m, rows[i].offset, rows[i].length,
				    rows[i].waited ? mine.device.latency_ns : 0);
			check_row(name, i, &m, &rows[i]);
		}
		cr_expect(!*m.fault, "%s: %s", name, m.fault);
		model_close(&m);
	}
}
