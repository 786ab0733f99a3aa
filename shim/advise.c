#include "shim/advise.h"

#include <fcntl.h>
#include <sys/syscall.h>

/*
 * A call for what is cached takes 0.1 us and 3 us a MiB; one that starts I/O at least 5 us and
 * 90 us a MiB. Between the two lies the line, so a call tells by itself whether it was needed.
 */
#define CACHED_CALL_NS	  600
#define CACHED_NS_PER_KIB 8

static bool fadvise(int fd, uint64_t offset, uint64_t length)
{
#ifdef __LP64__
	return !prs_sys(SYS_fadvise64, fd, (long)offset, (long)length, POSIX_FADV_WILLNEED);
#else
	return !posix_fadvise64(fd, (off64_t)offset, (off64_t)length, POSIX_FADV_WILLNEED);
#endif
}

struct prs_advice prs_advise(int fd, const struct prs_key *key, uint64_t request,
			     const struct prd_plan *plan)
{
	struct prs_advice a = {0};
	uint64_t from, size;

	if (!prs_same_file(fd, key, &size)) {
		a.failed = true;
		return a;
	}
	from = prs_now();
	for (unsigned i = 0; i < plan->extents && !a.failed; i++) {
		uint64_t at = plan->extent[i].offset, end = at + plan->extent[i].length;

		while (at < end) {
			uint64_t length = end - at < request ? end - at : request;

			if (!fadvise(fd, at, length)) {
				a.failed = true;
				break;
			}
			a.requests++;
			a.bytes += length;
			at += length;
		}
	}
	a.ns = prs_now() - from;
	a.cached = !a.failed &&
		   a.ns < a.requests * CACHED_CALL_NS + a.bytes / 1024 * CACHED_NS_PER_KIB;
	return a;
}
