/*
 * behaviours.h - the names of the detector's behaviours.
 *
 * The names are a contract: PREREAD_PATTERNS takes them, the log and the statistics print
 * them. The detector owns the list and its order; the detector has no strings.
 */
#ifndef PR_BEHAVIOURS_H
#define PR_BEHAVIOURS_H

#include <stddef.h>
#include <stdint.h>
#include "detector/behaviours.h"

/* Every behaviour's bit: what PREREAD_PATTERNS=all means. */
#define PR_BEHAVIOURS_ALL ((UINT32_C(1) << PRD_BEHAVIOUR_COUNT) - 1)

/* A static string; "unknown" for a number that is none. */
const char *pr_behaviour_name(enum prd_behaviour b);

/* The behaviour of that name, of `length` bytes; PRD_BEHAVIOUR_COUNT when there is none. */
enum prd_behaviour pr_behaviour_find(const char *name, size_t length);

#endif
