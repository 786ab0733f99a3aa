/* detector_traces.c - whole traces through the model: few waits, little waste, all streams. */
#include "tests/unit/detector.h"

static void forward_4k(struct model *m, uint64_t seed)
{
	(void)seed;
	for (uint64_t at = 0; at < 64 * M; at += 4 * K)
		model_read(m, at, 4 * K);
}

static void forward_1000(struct model *m, uint64_t seed)
{
	(void)seed;
	for (uint64_t at = 0; at < 16 * M; at += 1000)
		model_read(m, at, 1000);
}

/* Each read begins 512 bytes before the end of the last, and each fourth is made twice. */
static void forward_overlapping(struct model *m, uint64_t seed)
{
	(void)seed;
	for (uint64_t at = 0, i = 0; at < 32 * M; at += 8 * K - 512, i++) {
		model_read(m, at, 8 * K);
		if (i % 4 == 3)
			model_read(m, at, 8 * K);
	}
}

/* A read gets a part, and the rest is asked for again, as an asynchronous reader does. */
static void forward_partial(struct model *m, uint64_t seed)
{
	for (uint64_t at = 0; at < 32 * M;) {
		uint64_t part = 4 * K * (1 + random_below(&seed, 16));

		model_partial(m, at, 64 * K, part);
		at += part;
	}
}

static void forward_lengths(struct model *m, uint64_t seed)
{
	for (uint64_t at = 0; at < 64 * M;) {
		uint64_t length = 1 + random_below(&seed, 40000);

		model_read(m, at, length);
		at += length;
	}
}

static void backward(struct model *m, uint64_t length, uint64_t overlap)
{
	for (uint64_t at = 64 * M - length; at >= length; at -= length - overlap)
		model_read(m, at, length);
	model_read(m, 0, length);
}

static void backward_4k(struct model *m, uint64_t seed)
{
	(void)seed;
	backward(m, 4 * K, 0);
}

static void backward_8k(struct model *m, uint64_t seed)
{
	(void)seed;
	backward(m, 8 * K, 0);
}

static void backward_overlapping(struct model *m, uint64_t seed)
{
	(void)seed;
	backward(m, 8 * K, 1000);
}

static void stride_64k(struct model *m, uint64_t seed)
{
	(void)seed;
	for (uint64_t at = 0; at < G; at += 64 * K)
		model_read(m, at, 4 * K);
}

static void stride_down(struct model *m, uint64_t seed)
{
	(void)seed;
	for (uint64_t at = G - 64 * K; at >= 64 * K; at -= 64 * K)
		model_read(m, at, 4 * K);
}

static void stride_43k(struct model *m, uint64_t seed)
{
	(void)seed;
	for (uint64_t at = 777; at < G - 43 * K; at += 43001)
		model_read(m, at, 3000);
}

static void stride_1m(struct model *m, uint64_t seed)
{
	(void)seed;
	for (uint64_t at = 0; at < G; at += M)
		model_read(m, at, 16 * K);
}

/* Pieces of 16 KiB by four reads each. */
static void stride_quartered(struct model *m, uint64_t seed)
{
	(void)seed;
	for (uint64_t at = 0; at < G; at += 256 * K)
		for (uint64_t i = 0; i < 4; i++)
			model_read(m, at + i * 4 * K, 4 * K);
}

static void sparse_8k_by_4k(struct model *m, uint64_t seed)
{
	(void)seed;
	for (uint64_t at = 0; at < 128 * M; at += 16 * K) {
		model_read(m, at, 4 * K);
		model_read(m, at + 4 * K, 4 * K);
	}
}

static void sparse_8k(struct model *m, uint64_t seed)
{
	(void)seed;
	for (uint64_t at = 0; at < 128 * M; at += 16 * K)
		model_read(m, at, 8 * K);
}

static void sparse_jitter(struct model *m, uint64_t seed)
{
	for (uint64_t at = 0; at < 64 * M; at += 8 * K + 4 * K * random_below(&seed, 5))
		model_read(m, at, 8 * K);
}

static void shuffled_windows(struct model *m, uint64_t seed)
{
	for (uint64_t base = 0; base < 128 * M; base += 512 * K) {
		uint64_t order[16];

		for (uint64_t i = 0; i < 16; i++) {
			uint64_t j = random_below(&seed, i + 1);

			order[i] = order[j];
			order[j] = i;
		}
		for (uint64_t i = 0; i < 16; i++)
			model_read(m, base + order[i] * 32 * K, 32 * K);
	}
}

/* In order, but every tenth block comes eight blocks late. */
static void stragglers(struct model *m, uint64_t seed)
{
	(void)seed;
	for (uint64_t i = 0; i < 4096; i++) {
		if (i % 10 != 3)
			model_read(m, i * 32 * K, 32 * K);
		if (i >= 8 && (i - 8) % 10 == 3)
			model_read(m, (i - 8) * 32 * K, 32 * K);
	}
}

/* Not a whole number of anything apart: equal distances would be a stride, too. */
static void interleaved(struct model *m, uint64_t streams, uint64_t reads, bool even)
{
	uint64_t apart = G / streams / (4 * K) * (4 * K), skew = even ? 0 : 4 * K;

	for (uint64_t i = 0; i < reads; i++)
		for (uint64_t j = 0; j < streams; j++)
			model_read(m, j * apart + j * j % 7 * skew + i * 4 * K, 4 * K);
}

static void interleaved_2(struct model *m, uint64_t seed)
{
	(void)seed;
	interleaved(m, 2, 8000, false);
}

static void interleaved_32(struct model *m, uint64_t seed)
{
	(void)seed;
	interleaved(m, 32, 2000, false);
}

static void interleaved_32_even(struct model *m, uint64_t seed)
{
	(void)seed;
	interleaved(m, 32, 2000, true);
}

static void interleaved_1000(struct model *m, uint64_t seed)
{
	(void)seed;
	interleaved(m, 1000, 250, false);
}

/* Streams that take turns at random. */
static void interleaved_at_random(struct model *m, uint64_t seed)
{
	uint64_t at[20] = {0};

	for (uint64_t i = 0; i < 80000; i++) {
		uint64_t j = random_below(&seed, 20);

		model_read(m, j * 50 * M + at[j], 4 * K);
		at[j] += 4 * K;
	}
}

/* All kinds at once, each in a part of the file of its own. */
static void interleaved_kinds(struct model *m, uint64_t seed)
{
	(void)seed;
	for (uint64_t i = 0; i < 4000; i++) {
		model_read(m, i * 8 * K, 8 * K);
		model_read(m, 200 * M - i * 4 * K, 4 * K);
		model_read(m, 256 * M + i * 64 * K, 4 * K);
		model_read(m, 512 * M + i * 16 * K, 8 * K);
	}
}

static void half_random(struct model *m, uint64_t seed)
{
	for (uint64_t at = 0; at < 64 * M; at += 4 * K) {
		model_read(m, at, 4 * K);
		model_read(m, G / 2 + 4 * K * random_below(&seed, G / 2 / (4 * K)), 4 * K);
	}
}

/*
 * Per mille of waits and of waste. The program takes `think` us for 4 KiB: of pieces, no more
 * than the disk's channels can be under way, so that a faster reader must wait. At 2 GB/s a
 * hole of 8 KiB costs less than the request that it saves (E).
 */
static const struct {
	const char *name;
	trace *run;
	uint64_t file_size;
	enum prd_behaviour behaviour;
	uint64_t think, waits, waste;
} rows[] = {
	{"A forward 4 KiB", forward_4k, 64 * M, PRD_CONSECUTIVE, 5, 20, 20},
	{"A forward 1000 bytes", forward_1000, 16 * M, PRD_CONSECUTIVE, 5, 20, 20},
	{"A forward overlapping", forward_overlapping, 32 * M, PRD_CONSECUTIVE, 5, 20, 20},
	{"A forward partial", forward_partial, 32 * M, PRD_CONSECUTIVE, 5, 40, 20},
	{"A forward any lengths", forward_lengths, 64 * M, PRD_CONSECUTIVE, 5, 20, 20},
	{"B 2 streams", interleaved_2, G, PRD_INTERLEAVED, 5, 20, 60},
	{"B 32 streams", interleaved_32, G, PRD_INTERLEAVED, 5, 20, 60},
	{"B 32 streams, evenly apart", interleaved_32_even, G, PRD_INTERLEAVED, 5, 30, 60},
	{"B 1000 streams", interleaved_1000, G, PRD_INTERLEAVED, 5, 60, 100},
	{"B 20 at random turns", interleaved_at_random, G, PRD_INTERLEAVED, 5, 20, 40},
	{"B all kinds", interleaved_kinds, G, PRD_SPARSE, 50, 30, 160},
	{"B half random", half_random, G, PRD_INTERLEAVED, 5, 520, 60},
	{"C backward 4 KiB", backward_4k, 64 * M, PRD_BACKWARD, 5, 20, 20},
	{"C backward 8 KiB", backward_8k, 64 * M, PRD_BACKWARD, 5, 20, 20},
	{"C backward overlapping", backward_overlapping, 64 * M, PRD_BACKWARD, 5, 20, 20},
	{"D 4 KiB of 64 KiB", stride_64k, G, PRD_STRIDED, 50, 20, 20},
	{"D 4 KiB of 64 KiB down", stride_down, G, PRD_STRIDED, 50, 20, 20},
	{"D 3000 bytes of 43001", stride_43k, G, PRD_STRIDED, 50, 20, 20},
	{"D 16 KiB of 1 MiB", stride_1m, G, PRD_STRIDED, 50, 40, 80},
	{"D 16 of 256 KiB in quarters", stride_quartered, G, PRD_STRIDED, 50, 20, 20},
	{"E 8 of 16 KiB by 4 KiB", sparse_8k_by_4k, 128 * M, PRD_SPARSE, 50, 20, 520},
	{"E 8 of 16 KiB", sparse_8k, 128 * M, PRD_SPARSE, 50, 20, 520},
	{"E jittering skips", sparse_jitter, 64 * M, PRD_SPARSE, 5, 20, 520},
	{"F shuffled windows", shuffled_windows, 128 * M, PRD_REORDERED, 5, 40, 20},
	{"F stragglers", stragglers, 128 * M, PRD_SPARSE, 5, 40, 20},
};

Test(detector_traces, table)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct setup setup = plain_setup;
		enum prd_behaviour most = 0;
		struct tally t;

		setup.file_size = rows[i].file_size;
		setup.think_ns = rows[i].think * 1000;
		t = check_trace(rows[i].name, &setup, rows[i].run, i + 1);
		for (int b = 0; b < PRD_BEHAVIOUR_COUNT; b++)
			if (b != PRD_RANDOM && t.behaviours[b] > t.behaviours[most])
				most = (enum prd_behaviour)b;
		cr_expect(waits_of(&t) <= rows[i].waits, "%s: %lu of %lu reads waited",
			  rows[i].name, t.waits, t.reads);
		cr_expect(waste_of(&t) <= rows[i].waste, "%s: %lu of %lu bytes wasted",
			  rows[i].name, t.wasted, t.advised);
		cr_expect(t.again * 1000 <= t.advised, "%s: %lu of %lu bytes advised twice",
			  rows[i].name, t.again, t.advised);
		cr_expect(most == rows[i].behaviour, "%s: mostly behaviour %d", rows[i].name,
			  most);
	}
}
