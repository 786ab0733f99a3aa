/*
 * config.h - what a user asked for, parsed.
 *
 * The library reads it from its environment, the command from its options and from the same
 * environment; both through pr_config_set(), so that both accept and refuse the same values.
 * Nothing here allocates, prints or keeps a pointer of its own: strings in a configuration
 * point to the caller's value and live as long as that does.
 */
#ifndef PR_CONFIG_H
#define PR_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include "common/tunables.h"

enum pr_mode { PR_MODE_OFF, PR_MODE_OBSERVE, PR_MODE_ON };

struct pr_config {
	enum pr_mode mode;
	const char *log; /* file name pattern (formats: %p %h %e %{VAR} %%), NULL: none */
	bool log_json;
	const char *stats; /* as log */
	uint64_t window_min; /* bytes, 0: off */
	uint64_t window_max; /* bytes, 0: off */
	uint64_t budget_bytes; /* bytes; 0 with budget_percent 0: off */
	unsigned budget_percent; /* 0..100; not 0: per cent of memory to spare, not bytes */
	uint64_t context_memory; /* bytes, 0: off */
	uint32_t patterns; /* one bit a behaviour: 1u << enum prd_behaviour */
	const char *include; /* colon separated globs, NULL: everything */
	const char *exclude; /* colon separated globs, NULL: nothing */
	bool stdio;
};

/* The name of the environment variable, with its prefix: "PREREAD_MODE". */
const char *pr_tunable_variable(enum pr_tunable t);

/* Fills *c with every default. */
void pr_config_defaults(struct pr_config *c);

/*
 * Sets one tunable from text. NULL and "" mean unset: the default. Returns NULL when fine,
 * else a static sentence fragment that says what is expected ("expected on, observe or off"),
 * and *c keeps what it had.
 */
const char *pr_config_set(struct pr_config *c, enum pr_tunable t, const char *value);

/*
 * To be called when everything is set: a first window above the largest is lowered to it.
 * False when it had to be.
 */
bool pr_config_settle(struct pr_config *c);

/*
 * Parses digits with an optional K, M or G (powers of 1024). False when malformed or over
 * 2^63.
 */
bool pr_parse_size(const char *text, uint64_t *bytes);

/*
 * Does one of a colon separated list of globs match the whole path? As fnmatch without flags,
 * byte by byte: `*` and `?` match `/` too, [a-z] and [!a-z] match one byte, a backslash takes
 * the next byte (a colon too) as it is.
 */
bool pr_globs_match(const char *globs, const char *path);

#endif
