/*
 * budget.h - how much may be advised and not yet read, from the memory there is to spare: the
 * machine's, and that of every cgroup above us.
 */
#ifndef PRS_BUDGET_H
#define PRS_BUDGET_H

#include <stdint.h>

/* Bytes. Looks again once a second at most; may be called by any thread, without the lock. */
uint64_t prs_budget(uint64_t now_ns);

#endif
