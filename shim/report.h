/* report.h - the statistics as a line of JSON, kept up to date in the file they go to. */
#ifndef PRS_REPORT_H
#define PRS_REPORT_H

#include "shim/stats.h"

struct prs_cost {
	uint64_t slow_calls, slow_ns; /* reads that were looked at */
	uint64_t advice_calls, advice_ns; /* system calls that advised */
};

void prs_report_start(void);
void prs_report_child(void); /* after fork: the child's line is another one */

/* `exit`: how the process ended; NULL: it has not, and the line may be left as it is. */
void prs_report_write(const char *exit, const struct prs_sums *totals,
		      const struct prs_sums *by_behaviour, const struct prs_cost *cost);

/* One line for a person, on standard error if that is still what it was. */
void prs_report_verdict(const struct prs_sums *totals);

/* Is descriptor 2 what it was at the start? */
bool prs_stderr_unchanged(void);

/* Facts for names of files and for headings. */
extern char prs_program[256]; /* base name of the program */
extern char prs_host[65];

#endif
