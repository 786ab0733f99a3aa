/* See model.h for what this is; here only how. */
#include "bench/model.h"

#include <string.h>

#define NS_PER_S  1000000000ull
#define NS_PER_US 1000ull
#define MB	  1000000ull

static const struct {
	const char *name;
	struct model_spec spec;
} known[] = {
	{"net", {.latency_ns = 2000 * NS_PER_US, .bytes_per_s = 250 * MB, .channels = 64}},
	{"far", {.latency_ns = 30000 * NS_PER_US, .bytes_per_s = 100 * MB, .channels = 16}},
	{"hdd",
	 {.arm = true,
	  .channels = 1,
	  .bytes_per_s = 150 * MB,
	  .seek_min_ns = 1000 * NS_PER_US,
	  .seek_max_ns = 15000 * NS_PER_US,
	  .half_turn_ns = 4170 * NS_PER_US,
	  .gap_bytes = 256 << 10}},
	{"nvme", {.latency_ns = 80 * NS_PER_US, .bytes_per_s = 2000 * MB, .channels = 64}},
};

bool model_named(struct model_spec *spec, const char *name)
{
	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].name, name) == 0) {
			*spec = known[i].spec;
			return true;
		}
	}
	return false;
}

void model_init(struct model *m, const struct model_spec *spec)
{
	memset(m, 0, sizeof(*m));
	m->spec = *spec;
}

bool model_add(struct model *m, uint64_t now_ns, uint64_t offset, uint64_t bytes, void *tag)
{
	struct model_request *r;

	if (m->waiting == MODEL_QUEUE)
		return false;
	r = &m->queue[(m->first + m->waiting++) % MODEL_QUEUE];
	*r = (struct model_request){now_ns, offset, bytes, tag};
	return true;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Split so that a request of any size stays inside 64 bits. */
static uint64_t transfer_ns(const struct model *m, uint64_t bytes)
{
	uint64_t rate = m->spec.bytes_per_s;

	return bytes / rate * NS_PER_S + bytes % rate * NS_PER_S / rate;
}

static uint64_t square_root(uint64_t n)
{
	uint64_t root = 0;

	for (uint64_t bit = 1ull << 62; bit; bit >>= 2) {
		if (n >= root + bit) {
			n -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
	}
	return root;
}

/* A seek takes time by the square root of its share of the span: the arm accelerates for half
 * of the way and brakes for the rest. The share has 20 binary digits, its root 10. */
static uint64_t seek_ns(const struct model *m, uint64_t distance)
{
	const struct model_spec *s = &m->spec;
	uint64_t unit = (s->span_bytes >> 20) + 1;
	uint64_t root = square_root(distance / unit);

	if (root > 1024)
		root = 1024;
	return s->seek_min_ns + (s->seek_max_ns - s->seek_min_ns) * root / 1024;
}

static bool turned_past(const struct model *m, uint64_t offset)
{
	return offset >= m->head && offset - m->head <= m->spec.gap_bytes;
}

static uint64_t distance(const struct model *m, uint64_t offset)
{
	return offset >= m->head ? offset - m->head : m->head - offset;
}

static uint64_t positioning_ns(const struct model *m, uint64_t offset)
{
	if (turned_past(m, offset))
		return transfer_ns(m, offset - m->head);
	return seek_ns(m, distance(m, offset)) + m->spec.half_turn_ns;
}

/* The queue's place of the request that the arm reaches soonest. Places in the ring, not
 * positions in it: the order of arrival means nothing to an arm. What has not yet arrived when
 * the arm gets free cannot be picked then, unless nothing else is there. */
static uint32_t nearest(const struct model *m)
{
	uint32_t best = m->first;
	uint64_t best_cost = MODEL_NEVER;

	for (uint32_t i = 0; i < m->waiting; i++) {
		uint32_t at = (m->first + i) % MODEL_QUEUE;
		const struct model_request *r = &m->queue[at];
		uint64_t cost = later(m->line_free_ns, r->arrival_ns) - m->line_free_ns +
				positioning_ns(m, r->offset);

		if (cost < best_cost) {
			best_cost = cost;
			best = at;
		}
	}
	return best;
}

/* Takes the request at @at out of the ring; the first one fills the hole. */
static struct model_request take(struct model *m, uint32_t at)
{
	struct model_request r = m->queue[at];

	m->queue[at] = m->queue[m->first];
	m->first = (m->first + 1) % MODEL_QUEUE;
	m->waiting--;
	return r;
}

static uint64_t serve_flat(struct model *m, const struct model_request *r)
{
	uint32_t channel = 0;
	uint64_t start;

	for (uint32_t i = 1; i < m->spec.channels; i++)
		if (m->channel_free_ns[i] < m->channel_free_ns[channel])
			channel = i;
	start = later(r->arrival_ns, m->channel_free_ns[channel]);
	m->line_free_ns =
		later(start + m->spec.latency_ns, m->line_free_ns) + transfer_ns(m, r->bytes);
	m->channel_free_ns[channel] = m->line_free_ns;
	m->counters.seeks += r->offset != m->head;
	return m->line_free_ns;
}

static uint64_t serve_arm(struct model *m, const struct model_request *r)
{
	m->line_free_ns = later(r->arrival_ns, m->line_free_ns) + positioning_ns(m, r->offset) +
			  transfer_ns(m, r->bytes);
	m->counters.seeks += !turned_past(m, r->offset);
	return m->line_free_ns;
}

uint64_t model_due(const struct model *m)
{
	if (!m->waiting)
		return MODEL_NEVER;
	return m->spec.arm ? m->line_free_ns : 0;
}

bool model_decide(struct model *m, uint64_t now_ns, struct model_done *done)
{
	struct model_request r;

	if (!m->waiting || model_due(m) > now_ns)
		return false;
	r = take(m, m->spec.arm ? nearest(m) : m->first);
	done->tag = r.tag;
	done->when_ns = m->spec.arm ? serve_arm(m, &r) : serve_flat(m, &r);
	m->head = r.offset + r.bytes;
	m->counters.requests++;
	m->counters.bytes += r.bytes;
	m->counters.busy_ns += done->when_ns - later(r.arrival_ns, m->busy_until_ns);
	m->busy_until_ns = done->when_ns;
	return true;
}
