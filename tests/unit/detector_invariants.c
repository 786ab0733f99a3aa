/* detector_invariants.c - what must hold whatever is read, and what noise may not do. */
#include "tests/unit/detector.h"

#include <stdio.h>

static void uniform(struct model *m, uint64_t seed)
{
	for (int i = 0; i < 100000; i++)
		model_read(m, 4 * K * random_below(&seed, m->file_size / (4 * K)), 4 * K);
}

static void uniform_any_length(struct model *m, uint64_t seed)
{
	for (int i = 0; i < 50000; i++) {
		uint64_t offset = random_below(&seed, m->file_size - 64 * K);

		model_read(m, offset, 1 + random_below(&seed, 64 * K));
	}
}

/* Uniform random reading: no byte is advised, or as good as none where the file is so small
 * that chance makes runs. */
Test(detector_invariants, random_is_silent)
{
	static const uint64_t sizes[] = {64 * M, 256 * M, G, 4 * G};
	struct setup setup = plain_setup;

	for (size_t i = 0; i < COUNT(sizes); i++) {
		static trace *const runs[] = {uniform, uniform_any_length};

		setup.file_size = sizes[i];
		for (size_t j = 0; j < COUNT(runs); j++) {
			struct tally t = check_trace(j ? "J any length" : "J 4 KiB", &setup,
						     runs[j], i + 1);

			cr_expect(t.wasted * 50 <= t.demand,
				  "random in %lu MiB, %s: %lu K wasted of %lu K demanded",
				  sizes[i] / M, j ? "any length" : "4 KiB", t.wasted / K,
				  t.demand / K);
		}
	}
}

/* Offsets so far apart that chance makes nothing: then no advice means none. */
Test(detector_invariants, random_in_a_huge_file)
{
	struct setup setup = plain_setup;
	struct model m;
	uint64_t seed = 5;

	setup.uncached = true;
	setup.file_size = (uint64_t)1 << 50;
	model_open(&m, &setup);
	for (int i = 0; i < 1000000; i++)
		model_timed(&m, random_below(&seed, setup.file_size), 4 * K, 2000000);
	cr_expect(!m.tally.extents, "%lu extents", m.tally.extents);
	cr_expect(!*m.fault, "%s", m.fault);
	model_close(&m);
}

/* How many reads of 100 streams belong to none, after so many random reads elsewhere? */
static uint64_t lost_reads(uint64_t arena, int noise)
{
	struct setup setup = plain_setup;
	struct model m;
	uint64_t seed = 9, lost = 0;

	setup.uncached = true;
	setup.arena = arena;
	setup.file_size = (uint64_t)1 << 46;
	model_open(&m, &setup);
	for (uint64_t i = 0; i < 8; i++)
		for (uint64_t j = 0; j < 100; j++)
			model_timed(&m, j * G + j * j * 4 * K + i * 4 * K, 4 * K, 2000000);
	for (int i = 0; i < noise; i++)
		model_timed(&m, 200 * G + random_below(&seed, setup.file_size - 201 * G), 4 * K,
			    2000000);
	for (uint64_t i = 8; i < 12; i++)
		for (uint64_t j = 0; j < 100; j++) {
			model_timed(&m, j * G + j * j * 4 * K + i * 4 * K, 4 * K, 0);
			lost += m.plan.made;
		}
	cr_expect(!*m.fault, "%s", m.fault);
	model_close(&m);
	return lost;
}

/* A million random reads later the streams go on as if nothing had been. */
Test(detector_invariants, noise_evicts_no_stream)
{
	uint64_t arenas[] = {16 * M, prd_arena_min(64) + 64 * K};

	for (size_t i = 0; i < COUNT(arenas); i++) {
		uint64_t without = lost_reads(arenas[i], 0),
			 with = lost_reads(arenas[i], 1000000);

		cr_expect(
			with == without && with <= 8,
			"arena of %lu K: %lu of 400 reads were of no known stream, %lu without",
			arenas[i] / K, with, without);
	}
}

/* A piece of a random trace: some kind of reading from some place on. */
static void piece(struct model *m, uint64_t *seed)
{
	uint64_t kind = random_below(seed, 9), length = 1 + random_below(seed, 20000);
	uint64_t reads = 1 + random_below(seed, 300), at = random_below(seed, m->file_size);
	uint64_t delta = length + random_below(seed, kind % 2 ? 200000 : 20000);

	for (uint64_t i = 0; i < reads; i++) {
		uint64_t jitter = random_below(seed, length), asked = length;

		switch (kind) {
		case 0:
			at += length;
			break;
		case 1:
			at -= length;
			break;
		case 2:
		case 3:
			at += delta;
			break;
		case 4:
		case 5:
			at -= delta;
			break;
		case 6:
			at += length + 2 * jitter;
			break;
		case 7:
			at = random_below(seed, m->file_size);
			break;
		default:
			at += length - jitter;
			asked = length + 2 * jitter;
		}
		if (at >= m->file_size)
			return;
		asked = asked < m->file_size - at ? asked : m->file_size - at;
		model_partial(m, at, asked + random_below(seed, 2) * 1000, asked);
	}
}

static void mixed(struct model *m, uint64_t seed)
{
	for (int i = 0; i < 200; i++)
		piece(m, &seed);
}

/* The same, of a file that grows and shrinks, and of several files. */
static void mixed_files(struct model *m, uint64_t seed)
{
	for (int i = 0; i < 200; i++) {
		m->file = (uint32_t)random_below(&seed, 200);
		m->file_size = 1 + random_below(&seed, m->setup.file_size);
		piece(m, &seed);
	}
}

Test(detector_invariants, mixed_traces)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct setup setup = plain_setup;

		setup.file_size = (uint64_t)1 << (20 + seed % 10);
		setup.budget = seed % 3 ? 256 * M : M;
		setup.window_max = seed % 4 ? 64 * M : 64 * K;
		setup.device.readahead = seed % 5 ? 0 : 128 * K;
		setup.device.positioning_ns = seed % 7 ? 0 : 8000000;
		setup.device.room = seed % 2 ? 64 : 3;
		if (seed % 6 == 0)
			setup.arena = prd_arena_min(setup.files);
		check_trace("mixed", &setup, mixed, seed);
		check_trace("mixed files", &setup, mixed_files, seed);
	}
}

/* Large reads: a piece of a stride may itself be above the window. */
static void large_stride(struct model *m, uint64_t seed)
{
	(void)seed;
	for (uint64_t at = 0; at < 4 * G; at += 300 * M)
		model_timed(m, at, 100 * M, 2000000);
}

static void large_forward(struct model *m, uint64_t seed)
{
	(void)seed;
	for (uint64_t at = 0; at < 4 * G; at += 100 * M)
		model_timed(m, at, 100 * M, 2000000);
}

Test(detector_invariants, large_reads)
{
	struct setup setup = plain_setup;

	setup.uncached = true;
	setup.file_size = 4 * G;
	check_trace("large stride", &setup, large_stride, 0);
	check_trace("large forward", &setup, large_forward, 0);
	setup.budget = 64 * M;
	setup.window_max = 16 * M;
	check_trace("large stride, small window", &setup, large_stride, 0);
}

/* A wild trace: nothing about it is plausible. */
static void wild(struct model *m, uint64_t seed)
{
	static const uint64_t places[] = {0,
					  1,
					  4095,
					  (uint64_t)1 << 62,
					  INT64_MAX - 9000,
					  INT64_MAX - 1,
					  (uint64_t)1 << 40};

	for (int i = 0; i < 3000; i++) {
		uint64_t at = places[random_below(&seed, COUNT(places))];
		uint64_t length = random_below(&seed, 3) ? random_below(&seed, 9000)
							 : random_next(&seed) >> 33;

		m->file_size = random_below(&seed, 3) ? places[random_below(&seed, 7)] : 5000;
		m->now_ns = random_below(&seed, 9) ? m->now_ns : random_next(&seed);
		for (int j = 0; j < 6 && at <= INT64_MAX - length; j++) {
			model_timed(m, at, length,
				    random_below(&seed, 4) ? random_next(&seed) >> 30
							   : PRD_UNTIMED);
			at += random_below(&seed, 2) ? length
						     : length * random_below(&seed, 99);
		}
	}
}

static void wild_down(struct model *m, uint64_t seed)
{
	for (int i = 0; i < 500; i++) {
		uint64_t at = INT64_MAX - random_below(&seed, 100000);
		uint64_t length = 1 + random_below(&seed, 5000);

		m->file_size = random_below(&seed, 2) ? INT64_MAX : random_below(&seed, 9000);
		for (int j = 0; j < 9; j++) {
			at -= length + (uint64_t)(i % 3) * 10000;
			model_timed(m, at, length, 2000000);
		}
		at = 9 * length;
		for (int j = 0; j < 9; j++) {
			at -= length;
			model_timed(m, at, length, 2000000);
		}
	}
}

Test(detector_invariants, wild_traces)
{
	struct setup setup = plain_setup;

	setup.uncached = true;
	for (uint64_t seed = 1; seed <= 30; seed++) {
		check_trace("wild", &setup, wild, seed);
		check_trace("wild downwards", &setup, wild_down, seed);
	}
}

/* A file that shrank behind a backward reader: nothing is planned beyond its new end. */
Test(detector_invariants, shrunk_file)
{
	struct setup setup = plain_setup;
	struct model m;

	setup.uncached = true;
	model_open(&m, &setup);
	m.file_size = 10 * M;
	for (uint64_t i = 0; i < 400; i++) {
		if (i == 100)
			m.file_size = 5 * M;
		model_timed(&m, 10 * M - (i + 1) * 8 * K, 8 * K, 2000000);
	}
	cr_expect(!*m.fault, "%s", m.fault);
	model_close(&m);
}

/* A file that grows under a follower, as a log does: advice goes on with it. */
Test(detector_invariants, growing_file)
{
	struct setup setup = plain_setup;
	struct model m;

	setup.uncached = true;
	model_open(&m, &setup);
	for (uint64_t i = 0; i < 2000; i++) {
		m.file_size = (i / 100 + 1) * 100 * 4 * K;
		model_timed(&m, i * 4 * K, 4 * K, i % 10 ? 0 : 2000000);
		model_timed(&m, (i + 1) * 4 * K, 0, 0);
	}
	cr_expect(m.tally.advised > 4 * M, "only %lu bytes advised", m.tally.advised);
	cr_expect(!*m.fault, "%s", m.fault);
	model_close(&m);
}

Test(detector_invariants, nothing_read_teaches_nothing)
{
	struct model m;

	model_open(&m, &plain_setup);
	for (uint64_t i = 0; i < 100; i++)
		model_partial(&m, i * 4 * K, 4 * K, 0);
	cr_expect(!prd_streams(m.d) && !m.tally.extents);
	model_close(&m);
}

/* Small arenas bound the streams; memory that is not there is refused. */
Test(detector_invariants, arenas)
{
	struct prd_limits limits = {
		.window_min = 16384, .window_max = M, .patterns = ~0u, .files = 1};
	static char arena[M] __attribute__((aligned(64)));
	struct setup setup = plain_setup;
	struct model m;
	uint64_t seed = 1;

	cr_expect(!prd_init(arena, prd_arena_min(1) - 1, &limits));
	cr_expect(prd_init(arena, prd_arena_min(1), &limits) != NULL);
	limits.files = 3;
	cr_expect(!prd_init(arena, sizeof(arena), &limits));
	limits.files = 0;
	cr_expect(!prd_init(arena, sizeof(arena), &limits));
	setup.uncached = true;
	setup.file_size = (uint64_t)1 << 44;
	setup.files = 1;
	setup.arena = prd_arena_min(1);
	model_open(&m, &setup);
	for (int i = 0; i < 3000000; i++)
		model_timed(&m, random_below(&seed, setup.file_size), 4 * K, 2000000);
	cr_expect(prd_streams(m.d) <= setup.arena / 64 && prd_numbers(m.d) <= setup.arena / 64);
	cr_expect(!*m.fault, "%s", m.fault);
	model_close(&m);
}

/* A stream whose reader went away gives its claim back, if the file is still read. */
Test(detector_invariants, abandoned_claims)
{
	struct setup setup = plain_setup;
	struct model m;

	setup.uncached = true;
	model_open(&m, &setup);
	for (uint64_t i = 0; i < 16; i++)
		model_timed(&m, i * 4 * K, 4 * K, 2000000);
	cr_expect(prd_ahead(m.d) > 0);
	m.tally.ended = 0;
	for (uint64_t i = 0; i < 200000 && !m.tally.ended; i++)
		model_timed(&m, 500 * M + i * 64 * K % (400 * M), 4 * K, i < 9 ? 2000000 : 0);
	cr_expect(m.tally.ended == 1, "the stream that was left is still there");
	model_close(&m);
}

/* An abandoned stream must not keep its place quiet: who comes later waits there unseen. */
Test(detector_invariants, nothing_stays_quiet_of_a_lost_stream)
{
	struct setup setup = plain_setup;
	struct model m;
	uint64_t place = 0, quiet = 0;

	setup.uncached = true;
	model_open(&m, &setup);
	for (uint64_t i = 0; i < 4; i++) /* quiet now: all up to the mark at 28 KiB */
		model_timed(&m, i * 4 * K, 4 * K, 2000000);
	for (uint64_t i = 0; i < 200000 && !m.tally.ended; i++)
		model_timed(&m, place = 500 * M + i * 64 * K % (400 * M), 4 * K,
			    i < 9 ? 2000000 : 0);
	cr_expect(m.tally.ended == 1, "the stream at 0 is still there, at %lu", place);
	for (uint64_t i = 0; i < 7; i++)
		quiet += !prd_before(prd_front(m.d), m.file, i * 4 * K, 4 * K);
	cr_expect(!quiet, "%lu of 7 reads are quiet for a stream that is no more", quiet);
	model_close(&m);
}

/* What lies between the pieces of a stride is not the stride's: reads there are looked at. */
Test(detector_invariants, gaps_of_a_stride_are_not_quiet)
{
	struct setup setup = plain_setup;
	struct model m;
	uint64_t quiet = 0;

	setup.uncached = true;
	model_open(&m, &setup);
	for (uint64_t i = 0; i < 40; i++)
		model_timed(&m, i * 4 * M, 4 * K, 2000000);
	for (uint64_t i = 0; i < 80; i++)
		quiet += !prd_before(prd_front(m.d), m.file, i * 4 * M + 8 * K, 4 * K);
	cr_expect(!quiet, "%lu of 80 reads beside the pieces are quiet", quiet);
	model_close(&m);
}
