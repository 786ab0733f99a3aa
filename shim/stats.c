#include "shim/stats.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "shim/report.h"

/* A stream's sums, by its number. Kept only where somebody asked. */
struct ledger {
	struct prs_sums sums;
	uint64_t dev, ino, offset; /* of its first read */
	enum prd_behaviour behaviour;
	bool reported;
};

static struct ledger *ledgers;
static uint32_t ledger_count;
static struct prs_sums by_behaviour[PRD_BEHAVIOUR_COUNT];
static uint64_t reads, bytes, waited_ns; /* of all regular files; atomics */
static struct prs_cost cost;
static uint64_t advised, wasted;

/* Ledgers that may be in use. */
static uint32_t ledgers_used(void)
{
	uint32_t streams = prs_detector() ? prd_numbers(prs_detector()) : 0;

	return streams < ledger_count ? streams : ledger_count;
}

static void add(uint64_t *to, uint64_t value)
{
	__atomic_fetch_add(to, value, __ATOMIC_RELAXED);
}

/* The ledgers' mapping is as large as there can be streams, and touched as there are. */
void prs_stats_start(void)
{
	uint64_t streams = prs_settings.config.context_memory / sizeof(uint64_t[8]) + 1024;
	size_t size = streams * sizeof(struct ledger);

	if (!prs_settings.exact)
		return;
	ledgers = prs_reserve(&size, sizeof(struct ledger));
	if (ledgers)
		ledger_count = (uint32_t)(size / sizeof(struct ledger));
}

void prs_stats_child(void)
{
	if (!prs_settings.exact)
		return;
	for (uint32_t i = 0; i < ledgers_used(); i++)
		ledgers[i].sums = (struct prs_sums){0};
	memset(by_behaviour, 0, sizeof(by_behaviour));
	reads = bytes = waited_ns = advised = wasted = 0;
	cost = (struct prs_cost){0};
	prs_report_child();
}

void prs_stats_read(uint64_t done, uint64_t wait_ns)
{
	if (!prs_settings.exact)
		return;
	add(&reads, 1);
	add(&bytes, done);
	add(&waited_ns, wait_ns);
}

static void tally(struct prs_sums *s, const struct prd_event *e, enum prd_verdict verdict)
{
	s->reads++;
	s->bytes += e->done;
	s->waited_ns += e->wait_ns;
	s->hit += verdict == PRD_HIT;
	s->late += verdict == PRD_LATE;
	s->miss += verdict == PRD_MISS;
	if (verdict == PRD_HIT || verdict == PRD_LATE)
		s->covered += e->done;
}

static struct ledger *ledger_of(uint32_t stream)
{
	return stream < ledger_count ? &ledgers[stream] : NULL;
}

static void close_ledger(struct ledger *l, uint32_t stream, struct prs_note *note)
{
	uint64_t waste =
		l->sums.advised > l->sums.covered ? l->sums.advised - l->sums.covered : 0;

	l->sums.wasted += waste;
	by_behaviour[l->behaviour].wasted += waste;
	wasted += waste;
	note->ended = true;
	note->sums = l->sums;
	note->end = (struct prs_note_end){stream, l->behaviour, l->dev, l->ino, l->offset};
	*l = (struct ledger){0};
}

void prs_stats_note(const struct prs_file *f, const struct prd_event *e,
		    const struct prd_plan *plan, struct prs_note *note)
{
	struct ledger *l;

	if (!prs_settings.exact)
		return;
	l = plan->ended != PRD_NONE ? ledger_of(plan->ended) : NULL;
	if (l && l->reported)
		close_ledger(l, plan->ended, note);
	if (e->kind != PRD_READ || !e->done)
		return;
	tally(&by_behaviour[plan->behaviour], e, plan->verdict);
	l = ledger_of(plan->stream);
	if (!l)
		return;
	if (plan->made)
		*l = (struct ledger){.dev = f->key.dev, .ino = f->key.ino, .offset = e->offset};
	tally(&l->sums, e, plan->verdict);
	note->found = plan->found;
	note->changed = plan->changed;
	if (plan->found || plan->changed || note->no_effect) {
		l->reported = true;
		l->behaviour = plan->behaviour;
		note->behaviour = plan->behaviour;
		note->stream = plan->stream;
		note->dev = f->key.dev;
		note->ino = f->key.ino;
		note->offset = plan->found ? l->offset : e->offset;
		note->delta = plan->delta;
		note->run = plan->run;
	}
}

void prs_stats_advice(const struct prd_plan *plan, uint64_t asked, uint64_t calls, uint64_t ns)
{
	struct ledger *l = ledger_of(plan->stream);

	if (!prs_settings.exact)
		return;
	advised += asked;
	by_behaviour[plan->behaviour].advised += asked;
	if (l)
		l->sums.advised += asked;
	cost.advice_calls += calls;
	cost.advice_ns += ns;
}

void prs_stats_slow(uint64_t ns)
{
	add(&cost.slow_calls, 1);
	add(&cost.slow_ns, ns);
}

struct prs_sums prs_stats_totals(void)
{
	struct prs_sums sum = {.reads = reads, .bytes = bytes, .waited_ns = waited_ns};

	for (int i = 0; i < PRD_BEHAVIOUR_COUNT; i++) {
		sum.hit += by_behaviour[i].hit;
		sum.late += by_behaviour[i].late;
		sum.miss += by_behaviour[i].miss;
		sum.covered += by_behaviour[i].covered;
	}
	sum.advised = advised;
	sum.wasted = wasted;
	return sum;
}

void prs_stats_end_streams(void (*say)(const struct prs_note *note))
{
	if (!prs_settings.exact)
		return;
	for (uint32_t i = 0; i < ledgers_used(); i++) {
		struct prs_note note = {0};

		if (!ledgers[i].reported && !ledgers[i].sums.advised)
			continue;
		close_ledger(&ledgers[i], i, &note);
		say(&note);
	}
}

void prs_stats_write(const char *exit)
{
	struct prs_sums totals;

	if (!prs_settings.exact || !prs_settings.stats[0])
		return;
	totals = prs_stats_totals();
	prs_report_write(exit, &totals, by_behaviour, &cost);
}
