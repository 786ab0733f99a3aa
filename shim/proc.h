/* proc.h - small files of /proc and /sys, by bare calls, opened and closed at once. */
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

#endif
