/* detector_speed.c - nanoseconds a call, printed and not judged: machines differ. */
#include "tests/unit/detector.h"

#include <stdio.h>
#include <time.h>

static double ns_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Where the next read of a stream begins; not evenly apart, or it would be a stride. */
static uint64_t place(uint64_t stream, uint64_t reads)
{
	return stream * M + stream * stream % 61 * 4 * K + reads * 4 * K;
}

static uint64_t ask_before(const struct model *m, const uint32_t *order, uint64_t visits)
{
	uint64_t tripped = 0;

	for (uint64_t i = 0; i < visits; i++)
		tripped += prd_before(prd_front(m->d), m->file, place(order[i], 5), 4 * K);
	return tripped;
}

/* Of each stream the read at its mark: it is due for the next window. */
static void ask_after(struct model *m, const uint32_t *order, uint64_t visits, bool noise)
{
	struct prd_plan plan;

	for (uint64_t i = 0; i < visits; i++) {
		struct prd_event e = {.kind = PRD_READ,
				      .file = m->file,
				      .offset = place(order[i], 7) + (noise ? G << 20 : 0),
				      .asked = 4 * K,
				      .done = 4 * K,
				      .now_ns = m->now_ns += 5000,
				      .file_size = m->file_size};

		prd_after(m->d, &e, &m->setup.device, m->setup.budget, &plan);
	}
}

/* Streams are brought to life in turns, then visited in a scattered order. */
static void measure(uint32_t streams)
{
	struct setup setup = plain_setup;
	struct model m;
	uint64_t seed = streams, tripped;
	uint32_t *order = calloc(streams, sizeof(*order));
	double start, before, after, noise;

	setup.uncached = true;
	setup.file_size = (uint64_t)1 << 62;
	setup.arena = 16 * M + streams * (uint64_t)400;
	setup.budget = (uint64_t)1 << 50;
	model_open(&m, &setup);
	for (uint64_t i = 0; i < 4; i++)
		for (uint64_t j = 0; j < streams; j++)
			model_timed(&m, place(j, i), 4 * K, 2000000);
	for (uint32_t i = 0; i < streams; i++) {
		uint64_t j = random_below(&seed, i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	start = ns_now();
	tripped = ask_before(&m, order, streams);
	before = ns_now() - start;
	start = ns_now();
	ask_after(&m, order, streams, false);
	after = ns_now() - start;
	start = ns_now();
	ask_after(&m, order, streams, true);
	noise = ns_now() - start;
	fprintf(stderr,
		"%7u streams: prd_before %.1f ns (%lu tripped), prd_after at a mark %.0f ns, "
		"of noise %.0f ns\n",
		streams, before / streams, tripped, after / streams, noise / streams);
	free(order);
	model_close(&m);
}

Test(detector_speed, prints)
{
	for (uint32_t streams = 1; streams <= 1000000; streams *= 10)
		measure(streams);
}
