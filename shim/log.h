/*
 * log.h - one line an event, as the page on formats says: appended in one write, to a file
 * that is opened for it and closed again. Nothing is logged under the lock.
 */
#ifndef PRS_LOG_H
#define PRS_LOG_H

#include "shim/stats.h"

void prs_log_start(void); /* the process, and what was wrong with its environment */
void prs_log_child(void); /* after fork: the child introduces itself with its first event */
void prs_log_note(int fd, const struct prs_note *note);
void prs_log_latch(const char *why);
void prs_log_exit(const char *how);

#endif
