/* advise.h - the detector's extents become posix_fadvise() calls. */
#ifndef PRS_ADVISE_H
#define PRS_ADVISE_H

#include "shim/table.h"

struct prs_advice {
	uint64_t requests; /* sent */
	uint64_t bytes; /* asked for */
	uint64_t ns; /* that the calls took */
	bool cached; /* all of it was in the page cache already */
	bool failed; /* the descriptor is another file now, or the call is refused */
};

/*
 * Outside the lock. Asks for the plan's extents, in calls no longer than `request` bytes,
 * after making sure that the descriptor is still that file.
 */
struct prs_advice prs_advise(int fd, const struct prs_key *key, uint64_t request,
			     const struct prd_plan *plan);

#endif
