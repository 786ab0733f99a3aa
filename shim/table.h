/*
 * table.h - descriptors, and the files behind them.
 *
 * Descriptors lie in an array by number (gate.h); files in a hash table by device and inode,
 * so that all descriptors, threads and reopenings of a file feed the same contexts. A file
 * that was not looked at for long makes room for another.
 */
#ifndef PRS_TABLE_H
#define PRS_TABLE_H

#include "shim/gate.h"
#include "shim/shim.h"

/*
 * What uthash allocates comes from the arena; where that is full an insertion just fails. Its
 * buckets are made for as many files as there can be, so that no read pays for a rehash.
 */
#define uthash_malloc(bytes)	      prs_uthash_alloc(bytes)
#define uthash_free(pointer, bytes)   ((void)(pointer))
#define HASH_NONFATAL_OOM	      1
#define HASH_INITIAL_NUM_BUCKETS      1024U
#define HASH_INITIAL_NUM_BUCKETS_LOG2 10U
#include <uthash.h>

/* Files remembered at once; a power of two. */
#define PRS_FILES 4096

struct prs_key {
	uint64_t dev, ino;
};

struct prs_file {
	struct prs_key key;
	uint32_t id; /* for the detector: this slot + PRS_FILES for each use of it */
	bool used; /* the slot holds a file */
	bool recent; /* looked at since the clock's hand passed */
	bool no_effect; /* advice does nothing here */
	uint8_t strikes; /* reads in a row that waited although advised long before */
	uint64_t size; /* bytes, when last asked */
	struct prs_device *device;
	uint32_t planned; /* stream that was last advised */
	uint64_t planned_ns; /* and when */
	UT_hash_handle hh;
};

/* Forgets a descriptor: it is about to be closed, or was just opened. */
void prs_forget(int fd);
void prs_forget_range(unsigned first, unsigned last);

/* Sets a descriptor's kind, unless it has changed since its word was read. */
uint64_t prs_set_kind(int fd, uint64_t word, enum prs_kind kind);
/* One more unknown read that did not wait; dormant after 32. */
void prs_count_calm(int fd, uint64_t word);

/* Under the lock: finds out what a descriptor is; returns its new word. */
uint64_t prs_learn(int fd, uint64_t word);
/* Under the lock: the file of a learnt descriptor, or NULL when its slot was reused. */
struct prs_file *prs_file_of(uint64_t word);

/* Is the descriptor still open on that file? Refreshes *size (bytes). */
bool prs_same_file(int fd, const struct prs_key *key, uint64_t *size);

/* The absolute name behind a descriptor; "" when it cannot be had. */
void prs_path(int fd, char *out, size_t size);

#endif
