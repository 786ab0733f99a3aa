/* observe.c - the slow path: a read that tripped was made, and is now looked at. */
#include "shim/shim.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "shim/advise.h"
#include "shim/budget.h"
#include "shim/device.h"
#include "shim/log.h"
#include "shim/stats.h"
#include "shim/table.h"

/* A read waited if it took longer than a cached one can: 20 us, and 4 GB/s. */
#define CACHED_NS	    20000
#define CACHED_BYTES_PER_NS 4

/* Advised so many waits ago, and the read waited as if it had not been: advice does nothing. */
#define LONG_AGO 8
#define STRIKES	 2

/* One read on its way through the slow path. */
struct look {
	int fd;
	uint64_t word; /* of the descriptor */
	struct prd_event event;
	struct prd_plan plan;
	struct prs_key key;
	uint64_t request; /* bytes, the longest call that the device takes */
	struct prs_note note;
};

static uint64_t waited(uint64_t from, uint64_t to, uint64_t done)
{
	uint64_t took = to - from;

	return took > CACHED_NS + done / CACHED_BYTES_PER_NS ? took : 0;
}

/*
 * Is the descriptor worth a look, now that the read is known to have waited or not? For exact
 * figures every descriptor is learnt; otherwise only one whose read waited.
 */
static bool wake(int fd, uint64_t word, uint64_t wait_ns)
{
	switch (PRS_KIND(word)) {
	case PRS_UNKNOWN:
		if (wait_ns || prs_settings.exact)
			return true;
		prs_count_calm(fd, word);
		return false;
	case PRS_DORMANT:
		return wait_ns;
	default:
		return true;
	}
}

/* Advice that was followed by a wait all the same, long after: twice is proof. */
static bool without_effect(struct prs_file *f, const struct look *l)
{
	const struct prd_plan *plan = &l->plan;
	uint64_t since = l->event.now_ns - l->event.wait_ns - f->planned_ns;

	if (plan->verdict == PRD_HIT)
		f->strikes = 0;
	if (plan->verdict != PRD_LATE || plan->stream != f->planned || !f->planned_ns)
		return false;
	if (since < LONG_AGO * l->event.wait_ns || l->event.wait_ns < f->device->latency_ns / 2)
		return false;
	return ++f->strikes >= STRIKES;
}

static void give_up(struct prs_file *f, struct look *l)
{
	f->no_effect = true;
	l->plan.extents = 0;
	l->note.no_effect = true;
	prs_set_kind(l->fd, l->word, prs_settings.exact ? PRS_COUNTED : PRS_OTHER);
}

/* Under the lock: what is this read, and what is to be done? */
static void decide(struct look *l, uint64_t budget)
{
	struct prs_file *f = prs_file_of(l->word);
	struct prd_device device;

	if (!f) { /* its slot went to another file */
		l->word = prs_learn(l->fd, l->word);
		f = PRS_KIND(l->word) == PRS_FILE ? prs_file_of(l->word) : NULL;
	}
	if (!f) { /* its last plan is not to be acted on once more */
		l->plan.extents = 0;
		l->plan.more = false;
		return;
	}
	if (l->event.offset + l->event.done > f->size)
		f->size = l->event.offset + l->event.done;
	l->event.file = f->id;
	l->event.file_size = f->size;
	device = prs_device_numbers(f->device, l->event.now_ns);
	prd_after(prs_detector(), &l->event, &device, budget, &l->plan);
	if (l->plan.verdict == PRD_MISS)
		prs_device_waited(f->device, l->event.wait_ns);
	if (without_effect(f, l))
		give_up(f, l);
	if (!prs_settings.advise)
		l->plan.extents = 0;
	if (l->plan.extents) {
		f->planned = l->plan.stream;
		f->planned_ns = l->event.now_ns;
		for (unsigned i = 0; i < l->plan.extents; i++)
			prs_device_sent(f->device,
					l->plan.extent[i].length / f->device->request + 1);
	}
	l->key = f->key;
	l->request = f->device->request;
	if (PRS_KIND(l->word) == PRS_DORMANT)
		l->word = prs_set_kind(l->fd, l->word, PRS_FILE);
	else if (l->plan.dormant && !prs_settings.exact)
		l->word = prs_set_kind(l->fd, l->word, PRS_DORMANT);
	prs_stats_note(f, &l->event, &l->plan, &l->note);
}

/* Says what came of the advice: one more turn under the lock, if there is something to say. */
static void report_back(struct look *l, const struct prs_advice *a)
{
	struct prd_device device = {0};
	struct prd_plan ignored;

	if (!prs_trylock())
		return;
	if (a->cached) {
		l->event.kind = PRD_CACHED;
		l->event.stream = l->plan.stream;
		prd_after(prs_detector(), &l->event, &device, 0, &ignored);
	}
	/* What was there already was not fetched. */
	prs_stats_advice(&l->plan, a->cached ? 0 : a->bytes, a->requests, a->ns);
	prs_unlock();
}

static void act(struct look *l)
{
	struct prs_advice a;

	if (!l->plan.extents)
		return;
	a = prs_advise(l->fd, &l->key, l->request, &l->plan);
	if (a.failed)
		prs_forget(l->fd);
	if (a.cached || prs_settings.exact)
		report_back(l, &a);
}

static bool more(struct look *l, uint64_t budget)
{
	if (!l->plan.more || !prs_settings.advise || !prs_trylock())
		return false;
	l->event.kind = PRD_MORE;
	l->event.stream = l->plan.stream;
	decide(l, budget);
	prs_unlock();
	return l->plan.extents;
}

/* At the descriptor's own position: ask where that was. False: it has none. */
static bool find_position(struct look *l, uint64_t done)
{
	long position = prs_sys(SYS_lseek, l->fd, 0, SEEK_CUR, 0);

	if (position < 0 || (uint64_t)position < done) {
		prs_forget(l->fd);
		return false;
	}
	l->event.offset = (uint64_t)position - done;
	return true;
}

static void look_at(struct look *l, uint64_t done, bool at_position)
{
	uint64_t budget;

	if (PRS_KIND(l->word) == PRS_UNKNOWN ||
	    (PRS_KIND(l->word) == PRS_DORMANT && !PRS_FILE_OF(l->word))) {
		if (!prs_trylock())
			return;
		l->word = prs_learn(l->fd, l->word);
		prs_unlock();
	}
	if (PRS_KIND(l->word) >= PRS_FILE)
		prs_stats_read(done, l->event.wait_ns);
	if (PRS_KIND(l->word) != PRS_FILE && PRS_KIND(l->word) != PRS_DORMANT)
		return;
	if (at_position && !find_position(l, done))
		return;
	budget = prs_budget(l->event.now_ns);
	if (!prs_trylock())
		return;
	decide(l, budget);
	prs_unlock();
	do
		act(l);
	while (more(l, budget));
	if (at_position && PRS_KIND(l->word) == PRS_FILE && !prs_settings.exact)
		prs_place(l->fd, l->word, l->event.offset + done);
	prs_log_note(l->fd, &l->note);
}

void prs_observe(int fd, uint64_t offset, size_t asked, ssize_t done, uint64_t from,
		 uint64_t to)
{
	struct look l = {.fd = fd, .word = prs_fd_word(fd)};
	int error = errno;

	if (done <= 0 || !prs_live)
		return;
	l.event = (struct prd_event){
		.kind = PRD_READ,
		.offset = offset,
		.asked = asked,
		.done = (uint64_t)done,
		.now_ns = to,
		.wait_ns = waited(from, to, (uint64_t)done),
	};
	if (prs_inside) {
		/* A signal handler's read in the middle of our own slow path. */
		if (PRS_KIND(l.word) >= PRS_FILE)
			prs_stats_read((uint64_t)done, l.event.wait_ns);
	} else if (wake(fd, l.word, l.event.wait_ns) && prs_enter()) {
		if (prs_is_own_process())
			look_at(&l, (uint64_t)done, offset == PRS_AT_POSITION);
		if (prs_settings.exact) {
			prs_stats_slow(prs_now() - to);
			prs_stats_write(NULL);
		}
		prs_leave();
	}
	errno = error;
}
