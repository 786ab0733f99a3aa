/* start.c - the library's beginning and end in a process. */
#include "shim/shim.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "shim/gate.h"
#include "shim/log.h"
#include "shim/proc.h"
#include "shim/real.h"
#include "shim/report.h"
#include "shim/stats.h"

extern char **environ;

static bool started;

/*
 * In a sandbox a filter may kill for one of our calls. So there we do nothing - unless the
 * command tried them, in a child of its own, under as many filters as there are now.
 */
static bool tried_in_this_sandbox(void)
{
	const char *tried = NULL;
	char text[4096];

	for (char **e = environ; e && *e; e++)
		if (!strncmp(*e, "PREREAD_SANDBOX=", 16))
			tried = *e + 16;
	return tried && prs_number(tried) &&
	       prs_slurp("/proc/self/status", text, sizeof(text)) &&
	       prs_labelled(text, "Seccomp_filters:") == prs_number(tried);
}

/*
 * With more rights than who started it, a program gets nothing from us: the environment is
 * not to be trusted.
 */
static bool allowed(void)
{
	if (getauxval(AT_SECURE))
		return false;
	return !prs_real()->prctl(PR_GET_SECCOMP, 0, 0, 0, 0) || tried_in_this_sandbox();
}

__attribute__((constructor)) static void start(void)
{
	int error = errno;

	prs_real_resolve();
	if (allowed() && prs_configure()) {
		prs_state_start();
		if (prs_settings.config.stdio)
			prs_stdio_start();
		if (prs_settings.exact) {
			prs_report_start();
			prs_log_start();
			/* The line is there from the start, even if nothing is ever read. */
			prs_stats_write(NULL);
		}
		started = true;
		__atomic_store_n(&prs_live, true, __ATOMIC_RELEASE);
	}
	errno = error;
}

/*
 * The process ends, or becomes another program. Called before the last system call; in a
 * vfork child the memory is the parent's, whose figures these are not.
 */
void prs_finish(const char *how)
{
	static int finished;
	int error = errno;

	if (!started || !prs_settings.exact || !prs_is_own_process())
		return;
	/* An exec may fail, and the process go on to another end. */
	if (!strcmp(how, "exec") || !__atomic_exchange_n(&finished, 1, __ATOMIC_RELAXED)) {
		prs_log_exit(how);
		if (prs_settings.summary && finished) {
			struct prs_sums totals = prs_stats_totals();

			prs_report_verdict(&totals);
		}
		if (!strcmp(prs_settings.stats, "-"))
			prs_stats_write(how);
	}
	if (strcmp(prs_settings.stats, "-") != 0)
		prs_stats_write(how);
	errno = error;
}

/*
 * Many programs close standard error themselves when they end, before our destructor runs.
 * What is to be said there is said while it can be.
 */
void prs_stderr_closes(void)
{
	if (prs_settings.summary || !strcmp(prs_settings.log, "-") ||
	    !strcmp(prs_settings.stats, "-"))
		prs_finish("normal");
}

__attribute__((destructor)) static void end(void)
{
	prs_finish("normal");
}
