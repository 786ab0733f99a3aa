/*
 * A disk's pace, as a pure function of its requests.
 *
 * The model knows no clock, file, lock or thread: requests go in with the time of their
 * arrival, times of completion come out. The slow disk sleeps until those times; a simulator
 * jumps to them. Both therefore run on the same disk.
 *
 *	model_add()	a request has arrived
 *	model_decide()	the next request whose completion is certain by now
 *	model_due()	when it is worth asking again
 *
 * Two kinds of disk. A *flat* one (network volume, flash) answers each request after the same
 * latency, so many at once, and then sends the bytes one request after the other through one
 * line:
 *
 *	start = the later of arrival and the first channel's end
 *	done  = the later of start + latency and the line's end, + bytes / bandwidth
 *
 * so the fate of a request is certain on arrival. An *arm* serves one request at a time and
 * picks the nearest when it gets free, so nothing is certain before that: what arrives in the
 * meantime may be nearer. On both kinds completions come out in the order of time, which lets
 * the callers keep them in a plain queue.
 *
 * Times are nanoseconds on any clock that never goes back, the same for all calls.
 */
#ifndef PREREAD_BENCH_MODEL_H
#define PREREAD_BENCH_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define MODEL_QUEUE    4096u /* requests that may wait; a power of two */
#define MODEL_CHANNELS 1024u /* most channels a flat disk may have */
#define MODEL_NEVER    UINT64_MAX
#define MODEL_NAMES    "net far hdd nvme"

/* What kind of disk. Filled by the caller, constant afterwards. */
struct model_spec {
	bool arm; /* one arm that has to travel, or flat */
	uint32_t channels; /* flat: requests at once, 1..MODEL_CHANNELS */
	uint64_t latency_ns; /* flat: from start to first byte */
	uint64_t bytes_per_s; /* both: of the line, or under the head */
	uint64_t seek_min_ns; /* arm: the shortest seek */
	uint64_t seek_max_ns; /* arm: a seek across the whole span */
	uint64_t half_turn_ns; /* arm: mean wait for the sector after a seek */
	uint64_t gap_bytes; /* arm: a forward gap that is turned past, not sought over */
	uint64_t span_bytes; /* arm: size of the disk, the longest distance */
};

struct model_request {
	uint64_t arrival_ns;
	uint64_t offset;
	uint64_t bytes;
	void *tag; /* the caller's; handed back untouched */
};

struct model_done {
	uint64_t when_ns;
	void *tag;
};

/* Totals over the requests decided so far. */
struct model_counters {
	uint64_t requests;
	uint64_t bytes;
	uint64_t seeks; /* arm: journeys; flat: requests that do not continue the last */
	uint64_t busy_ns; /* time with at least one request inside */
};

/* The state. Caller-owned; only model.c looks inside, counters excepted. */
struct model {
	struct model_spec spec;
	struct model_counters counters;
	struct model_request queue[MODEL_QUEUE]; /* ring of what waits */
	uint32_t first, waiting;
	uint64_t channel_free_ns[MODEL_CHANNELS];
	uint64_t line_free_ns; /* the line's end, or when the arm gets free */
	uint64_t head; /* byte after the last request */
	uint64_t busy_until_ns;
};

/* Fills @spec with one of MODEL_NAMES; false if there is none of that name. */
bool model_named(struct model_spec *spec, const char *name);

/* @spec must be complete: bandwidth not 0, channels in range. */
void model_init(struct model *m, const struct model_spec *spec);

/* @now_ns must not be before that of the last call. False if the queue is full. */
bool model_add(struct model *m, uint64_t now_ns, uint64_t offset, uint64_t bytes, void *tag);

/* Takes the next request whose completion is certain at @now_ns; false if there is none. */
bool model_decide(struct model *m, uint64_t now_ns, struct model_done *done);

/* When model_decide() can next succeed without a new request, or MODEL_NEVER. */
uint64_t model_due(const struct model *m);

#endif
