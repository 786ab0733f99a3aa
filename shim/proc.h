/*
 * proc.h - small files, by bare calls: those of /proc and /sys are read, a user's log and
 * statistics written. Each is opened for it and closed at once.
 */
#ifndef PRS_PROC_H
#define PRS_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file's beginning, NUL terminated, in to[size]; false when it cannot be read. */
bool prs_slurp(const char *name, char *to, size_t size);

/* The decimal number at the beginning, after blanks; 0 when there is none. */
uint64_t prs_number(const char *at);

/* The number after a label at the start of a line; 0 when there is none. */
uint64_t prs_labelled(const char *text, const char *label);

/*
 * A descriptor of ours, for a moment, with O_CLOEXEC and mode 0600; -1: none. There is one at a
 * time, under a lock that fork takes, or the child of another thread would inherit it.
 */
extern int prs_open_lock;
long prs_open(const char *path, long flags);
void prs_close(long fd);

/*
 * Writes a line where a user wanted one: whole or not at all, and never at the program's cost.
 * Into a pipe that is full or that nobody reads, and beyond the program's limit of file sizes,
 * it is not written: the program would wait, or die of a signal. At an offset, or with -1
 * where the descriptor appends. False when it was not written.
 */
bool prs_put(long fd, const char *line, size_t length, int64_t offset);

#endif
