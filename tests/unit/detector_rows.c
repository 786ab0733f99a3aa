/* detector_rows.c - one line a read, with the advice that it must yield. */
#include "tests/unit/detector.h"

#define CHECK(name, setup, rows) check_rows(name, setup, rows, COUNT(rows))

/* In units of 4 KiB; w waited, and advice in the same units. */
#define P (4 * K)
#define W(at, length, ...)                                                                     \
	{                                                                                      \
		(at) * P, (length)*P, true,                                                    \
		{                                                                              \
			__VA_ARGS__                                                            \
		}                                                                              \
	}
#define N(at, length, ...)                                                                     \
	{                                                                                      \
		(at) * P, (length)*P, false,                                                   \
		{                                                                              \
			__VA_ARGS__                                                            \
		}                                                                              \
	}
#define X(at, length)                                                                          \
	{                                                                                      \
		(at) * P, (length)*P                                                           \
	}

/*
 * The third adjacent read opens a window of 16 KiB; the read that crosses the mark - the
 * first byte of the newest window - opens the next one, twice as large if it was late.
 */
Test(detector_rows, forward_and_its_window)
{
	static const struct row rows[] = {
		W(0, 1),
		W(1, 1),
		W(2, 1, X(3, 4)),
		W(3, 1, X(7, 8)),
		W(4, 1),
		W(5, 1),
		N(6, 1), /* late, but before the mark: nothing to learn */
		N(7, 1, X(15, 8)), /* in time: large enough */
		N(8, 4),
		N(12, 3),
		W(15, 1, X(23, 16)),
		N(16, 4),
		N(20, 2),
		N(22, 2, X(39, 16)), /* crosses the mark */
		N(24, 15),
		N(39, 1, X(55, 16)),
	};

	CHECK("A", &plain_setup, rows);
}

Test(detector_rows, no_wait_no_advice)
{
	static const struct row rows[] = {
		N(0, 1), N(1, 1),	   N(2, 1),	      N(3, 1),
		N(4, 1), W(5, 1, X(6, 4)), N(6, 1, X(10, 4)),
	};
	static const struct row down[] = {
		N(90, 1), N(89, 1), N(88, 1), N(87, 1), W(86, 1, X(82, 4)),
	};
	static const struct row stride[] = {
		N(0, 1), N(16, 1), N(32, 1), N(48, 1), N(64, 1), N(80, 1),
	};

	CHECK("forward without waits", &plain_setup, rows);
	CHECK("backward without waits", &plain_setup, down);
	CHECK("stride without waits", &plain_setup, stride);
}

/* Pages touched twice, repeated reads and reads inside the last are the run's own. */
Test(detector_rows, forward_odd)
{
	static const struct row overlap[] = {
		W(0, 2),
		W(1, 2),
		W(2, 2, X(4, 4)),
		N(3, 2, X(8, 4)),
	};
	static const struct row repeated[] = {
		W(0, 1), N(0, 1), W(1, 1), N(1, 1), W(2, 1, X(3, 4)), N(2, 1), N(3, 1, X(7, 4)),
	};
	static const struct row end[] = {
		W(9, 1),  W(10, 1), W(11, 1, X(12, 4)), W(12, 1, X(16, 4)), W(13, 1),
		N(14, 2), N(16, 1), N(17, 1),		N(18, 1),	    N(19, 1),
	};
	struct setup small = plain_setup;

	small.file_size = 20 * P;
	CHECK("overlapping", &plain_setup, overlap);
	CHECK("repeated", &plain_setup, repeated);
	CHECK("at the end of the file", &small, end);
}

Test(detector_rows, backward)
{
	static const struct row rows[] = {
		W(99, 1), W(98, 1), W(97, 1, X(93, 4)), W(96, 1, X(85, 8)),
		N(95, 1), N(94, 1), N(93, 1),		N(92, 1, X(77, 8)),
	};
	static const struct row start[] = {
		W(9, 1), W(8, 1), W(7, 1, X(3, 4)), W(6, 1, X(0, 3)), N(5, 1),
		N(4, 1), N(3, 1), N(2, 1),	    N(1, 1),	      N(0, 1),
	};
	static const struct row overlap[] = {
		W(90, 2),
		W(89, 2),
		W(88, 2, X(84, 4)),
		W(87, 2, X(76, 8)),
	};

	CHECK("C", &plain_setup, rows);
	CHECK("C to the start of the file", &plain_setup, start);
	CHECK("C overlapping", &plain_setup, overlap);
}

/* The fourth read at equal distances: any two have a distance, so it is confirmed twice. */
Test(detector_rows, strides)
{
	static const struct row up[] = {
		W(0, 1),
		W(16, 1),
		W(32, 1),
		W(48, 1, X(64, 1), X(80, 1), X(96, 1), X(112, 1)),
		W(64, 1, X(128, 1), X(144, 1), X(160, 1), X(176, 1)),
	};
	static const struct row down[] = {
		W(192, 1),
		W(176, 1),
		W(160, 1),
		W(144, 1, X(128, 1), X(112, 1), X(96, 1), X(80, 1)),
		W(128, 1, X(64, 1), X(48, 1), X(32, 1), X(16, 1)),
		N(112, 1),
	};
	static const struct row bytes[] = {
		{777, 3000, true, {{0}}},
		{777 + 43001, 3000, true, {{0}}},
		{777 + 2 * 43001, 3000, true, {{0}}},
		{777 + 3 * 43001,
		 3000,
		 true,
		 {{777 + 4 * 43001, 3000},
		  {777 + 5 * 43001, 3000},
		  {777 + 6 * 43001, 3000},
		  {777 + 7 * 43001, 3000},
		  {777 + 8 * 43001, 3000}}},
	};

	CHECK("D up", &plain_setup, up);
	CHECK("D down", &plain_setup, down);
	CHECK("D byte-granular", &plain_setup, bytes);
}

/* Holes are read through where they cost less than a request (E), and only then. */
Test(detector_rows, holes_by_cost)
{
	static const struct row joined[] = {
		W(0, 2), W(4, 2), W(8, 2), W(12, 2, X(16, 2)), W(16, 2, X(20, 6)),
	};
	static const struct row pieces[] = {
		W(0, 2),
		W(4, 2),
		W(8, 2),
		W(12, 2, X(16, 2), X(20, 2)),
	};
	struct setup slow = plain_setup;

	CHECK("E, 2 GB/s", &plain_setup, joined);
	slow.device.bytes_per_s = 100000000;
	CHECK("E, 100 MB/s", &slow, pieces);
}

/* Two runs in turns are as good as each alone, and noise is none of either. */
Test(detector_rows, interleaved)
{
	static const struct row rows[] = {
		W(0, 1),
		W(9000, 1),
		W(1, 1),
		W(9001, 1),
		W(50000, 1),
		W(2, 1, X(3, 4)),
		W(9002, 1, X(9003, 4)),
		W(70123, 1),
		W(3, 1, X(7, 8)),
		W(9003, 1, X(9007, 8)),
		N(4, 3),
		N(9004, 3),
		W(33333, 1),
		N(7, 1, X(15, 8)),
		N(9007, 1, X(9015, 8)),
	};

	CHECK("B", &plain_setup, rows);
}

Test(detector_rows, random)
{
	static const struct row rows[] = {
		W(10000, 1), W(52, 1),	   W(90001, 1), W(777, 1),  W(30303, 1),
		W(61, 1),    W(123456, 1), W(5000, 1),	W(5600, 1), W(40404, 1),
		W(99, 1),    W(200000, 1), W(1234, 1),
	};

	CHECK("J", &plain_setup, rows);
}

/* window_max, budget and the device's room each hold the window. */
Test(detector_rows, caps)
{
	static const struct row most[] = {
		W(0, 1), W(1, 1), W(2, 1, X(3, 4)), W(3, 1, X(7, 8)), W(7, 1, X(15, 8)),
	};
	static const struct row budget[] = {
		W(0, 1), W(1, 1), W(2, 1, X(3, 4)), W(3, 1, X(7, 8)), W(7, 1, X(15, 4)),
	};
	static const struct row nothing[] = {
		W(0, 1), W(1, 1), W(2, 1), W(3, 1), W(4, 1), W(5, 1),
	};
	static const struct row room[] = {
		W(0, 1), W(1, 1), W(2, 1, X(3, 4)), W(3, 1, X(7, 4)), W(7, 1, X(11, 4)),
	};
	struct setup setup = plain_setup;

	setup.window_max = 32 * K;
	CHECK("window_max", &setup, most);
	setup = plain_setup;
	setup.budget = 44 * K; /* at the last row 28 KiB of it are taken */
	CHECK("budget", &setup, budget);
	setup.budget = 0;
	CHECK("no budget", &setup, nothing);
	setup = plain_setup;
	setup.window_max = 0;
	CHECK("window_max 0", &setup, nothing);
	setup = plain_setup;
	setup.window_min = 0;
	CHECK("window_min 0", &setup, nothing);
	setup = plain_setup;
	setup.patterns = ~(1u << PRD_CONSECUTIVE | 1u << PRD_INTERLEAVED);
	CHECK("consecutive off", &setup, nothing);
	setup = plain_setup;
	setup.device.room = 1;
	setup.device.request = 16 * K;
	CHECK("room", &setup, room);
	setup.device.room = 0;
	CHECK("no room", &setup, nothing);
}

/* A plain run is left to the kernel up to its own window, or to what is worth a seek. */
Test(detector_rows, left_to_the_kernel)
{
	static const struct row kernel[] = {
		W(0, 1), W(1, 1), W(2, 1), W(3, 1), W(4, 1), W(5, 1, X(6, 32)),
	};
	static const struct row seek[] = {
		W(0, 1),
		W(1, 1),
		W(2, 1),
		W(3, 1),
		W(4, 1),
		W(5, 1),
		W(6, 1),
		W(7, 1),
		W(8, 1, X(9, 256)),
		N(9, 1, X(265, 256)),
	};
	struct setup setup = plain_setup;

	setup.device.readahead = 64 * K;
	CHECK("kernel's window", &setup, kernel);
	setup.device.readahead = 128 * K;
	setup.device.positioning_ns = 8000000;
	setup.device.bytes_per_s = 100000000; /* 800 KB in a seek */
	CHECK("worth a seek", &setup, seek);
}

Test(detector_rows, quiet_and_mark)
{
	struct model m;
	uint64_t at;

	model_open(&m, &plain_setup);
	for (at = 0; at < 4 * P; at += P)
		model_timed(&m, at, P, 2000000);
	cr_expect(m.plan.quiet_hi == 7 * P, "the mark is where the newest window begins");
	cr_expect(!prd_before(prd_front(m.d), m.file, 4 * P, P));
	cr_expect(!prd_before(prd_front(m.d), m.file, 6 * P, P));
	cr_expect(prd_before(prd_front(m.d), m.file, 7 * P, P), "a read at the mark trips");
	cr_expect(prd_before(prd_front(m.d), m.file, 6 * P, P + 1), "one that crosses it, too");
	cr_expect(prd_before(prd_front(m.d), m.file, 5000 * P, P), "and one elsewhere");
	cr_expect(prd_before(prd_front(m.d), m.file + 1, 4 * P, P), "and another file's");
	model_close(&m);
}
