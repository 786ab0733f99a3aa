/*
 * tunables.h - the one table of tunables.
 *
 * Environment variable, command option, default, --help, manual page and the parser's
 * dispatch all come from this list, so that none of them can disagree with another.
 *
 *   TUNABLE(id, VARIABLE, option, kind, default, metavar, help)
 *
 * id        names the constant PR_TUNABLE_<id>
 * VARIABLE  the environment variable, without its prefix PREREAD_
 * option    the command's long option, without --
 * kind      how a value is parsed: PR_KIND_<kind>, see config.h
 * default   as a user would write it; NULL: none
 * metavar   what --help calls the value
 * help      one line for --help and the manual
 *
 * Every variable takes `off`; an empty value means unset; `0` is off for sizes; K, M and G
 * are powers of 1024.
 */
#ifndef PR_TUNABLES_H
#define PR_TUNABLES_H

/* clang-format off */
#define PR_TUNABLES(TUNABLE) \
	TUNABLE(mode, "MODE", "mode", MODE, "on", "on|observe|off", \
		"on: advise; observe: detect and log, advise nothing; off: do nothing") \
	TUNABLE(log, "LOG", "log", FILE, NULL, "FILE", \
		"write detected streams to FILE, a line an event; - is stderr") \
	TUNABLE(log_format, "LOG_FORMAT", "log-format", FORMAT, "text", "text|json", \
		"format of the log: text, or json with one object a line") \
	TUNABLE(stats, "STATS", "stats", FILE, NULL, "FILE", \
		"write totals to FILE, a JSON object a process; - is stderr") \
	TUNABLE(window_min, "WINDOW_MIN", "window-min", SIZE, "16K", "BYTES", \
		"first window of a stream; K, M, G are powers of 1024") \
	TUNABLE(window_max, "WINDOW_MAX", "window-max", SIZE, "64M", "BYTES", \
		"largest window of a stream") \
	TUNABLE(budget, "BUDGET", "budget", BUDGET, "10%", "BYTES|N%", \
		"most that is advised and not yet read: bytes, or % of memory to spare") \
	TUNABLE(context_memory, "CONTEXT_MEMORY", "context-memory", SIZE, "32M", "BYTES", \
		"most memory for what is remembered of files and streams") \
	TUNABLE(patterns, "PATTERNS", "patterns", PATTERNS, "all", "LIST", \
		"behaviours to help, a comma list; -name takes one out") \
	TUNABLE(include, "INCLUDE", "include", GLOBS, NULL, "GLOBS", \
		"help only files whose path matches one of the globs, colon separated") \
	TUNABLE(exclude, "EXCLUDE", "exclude", GLOBS, NULL, "GLOBS", \
		"never help files whose path matches one of the globs; wins over include") \
	TUNABLE(stdio, "STDIO", "stdio", AUTO, "auto", "auto|off", \
		"whether reads of buffered files (FILE *) are seen")
/* clang-format on */

enum pr_tunable {
#define PR_TUNABLE_ENUM(id, var, opt, kind, def, meta, help) PR_TUNABLE_##id,
	PR_TUNABLES(PR_TUNABLE_ENUM)
#undef PR_TUNABLE_ENUM
		PR_TUNABLE_COUNT
};

#endif
