/*
 * filename.h - the names of log and statistics files.
 *
 * A name is a pattern: %p is the process id, %h the host, %e the program's base name,
 * %{VAR} an environment variable (nothing where it is unset) and %% a percent sign. `-` and
 * /dev/stderr are standard error. Everything that a name depends on is handed in, so that
 * nothing here asks the system and the names can be tested.
 */
#ifndef PR_FILENAME_H
#define PR_FILENAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pr_filename_kind {
	PR_FILENAME_BAD, /* malformed pattern, or longer than the buffer */
	PR_FILENAME_STDERR,
	PR_FILENAME_PATH
};

struct pr_filename_facts {
	int64_t pid;
	const char *host;
	const char *program; /* a path or a name: its last part is %e */
	const char *cwd; /* absolute: what a relative name starts at */
	char *const *environment; /* NAME=value strings, NULL at the end; may be NULL */
};

/* Is the pattern well formed? */
bool pr_filename_valid(const char *pattern);

/*
 * Writes the absolute file name to out[size] when the answer is PR_FILENAME_PATH; otherwise
 * out is an empty string.
 */
enum pr_filename_kind pr_filename_expand(const char *pattern,
					 const struct pr_filename_facts *facts, char *out,
					 size_t size);

#endif
