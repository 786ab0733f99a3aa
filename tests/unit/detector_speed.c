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

/* Streams 1 MiB apart are brought to life, then visited in a scattered order. */
static void measure(uint32_t streams)
{
	struct setup setup = plain_setup;
	struct model m;
	uint64_t seed = streams, tripped = 0, visits = streams < 1000 ? 100000 : 1000000;
	double start, after, before;

	setup.uncached = true;
	setup.file_size = (uint64_t)1 << 62;
	setup.arena = 16 * M + streams * 400;
	setup.budget = (uint64_t)1 << 50;
	model_open(&m, &setup);
	for (uint64_t i = 0; i < 4; i++)
		for (uint64_t j = 0; j < streams; j++)
			model_timed(&m, j * M + j % 7 * 4 * K + i * 4 * K, 4 * K, 2000000);
	start = ns_now();
	for (uint64_t i = 0; i < visits; i++)
		tripped += prd_before(prd_front(m.d), m.file,
				      random_below(&seed, streams) * M + 20 * K, 4 * K);
	before = (ns_now() - start) / (double)visits;
	start = ns_now();
	for (uint64_t i = 0; i < visits; i++) {
		struct prd_event e = {.kind = PRD_READ,
				      .file = m.file,
				      .offset = random_below(&seed, streams) * M + i * 4 * K,
				      .asked = 4 * K,
				      .done = 4 * K,
				      .now_ns = m.now_ns += 5000,
				      .file_size = setup.file_size};
		struct prd_plan plan;

		prd_after(m.d, &e, &setup.device, setup.budget, &plan);
	}
	after = (ns_now() - start) / (double)visits;
	fprintf(stderr, "%u streams (%u alive): prd_before %.1f ns, prd_after %.0f ns, %lu tripped\n",
		streams, prd_streams(m.d), before, after, tripped);
	model_close(&m);
}

Test(detector_speed, prints)
{
	for (uint32_t streams = 1; streams <= 1000000; streams *= 10)
		measure(streams);
}
