/*
 * command.h - the `preread` command, inside.
 *
 * The command's one duty is to *become* the program: it parses, checks, sets the environment
 * and execs; nothing of it remains, so that process id, terminal, signals and exit status
 * are the program's own. What can be told to a person is told here, before the exec, because
 * the library itself never prints unasked:
 *
 *   main      the order of things, and the statuses
 *   options   command line and PREREAD_ variables: each fault is said once
 *   help      --help, from the one table of tunables
 *   run       where the program and the library are, LD_PRELOAD, exec
 *   sandbox   whether a seccomp filter allows what the library does
 *   say       messages
 *   elf       what kind of file the program is: can the library help it at all?
 *
 * Where the library cannot help a program, one message says so and the program runs anyway.
 * A fault of the user's environment never stops a program; a fault of the command line does.
 */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include "common/config.h"

/* As timeout, env and stdbuf have them. Everything else is the program's own status. */
enum cmd_status {
	CMD_FINE = 0,
	CMD_USAGE = 2, /* sub-commands: usage or bad input */
	CMD_FAILED = 125, /* preread's own failure, or its own usage */
	CMD_CANNOT_EXECUTE = 126,
	CMD_NOT_FOUND = 127
};

struct cmd_options {
	const char *value[PR_TUNABLE_COUNT]; /* as given on the command line, NULL: not given */
	bool summary; /* -s */
	bool help, version; /* nothing is run then */
	char **program; /* its argv, NULL at the end; points into main's argv */
};

/* Writes "preread: ..." and a newline to standard error. */
void cmd_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * C-escapes text that is not ours (names, values), so that a message stays one line. Valid
 * until called four times more.
 */
const char *cmd_shown(const char *text);

/* Has all of standard output been written? False after a message. */
bool cmd_output_written(void);

/* Parses the command line. False after a message: the usage was wrong. */
bool cmd_options_parse(int argc, char **argv, struct cmd_options *options);

/* Says what is wrong with the PREREAD_ variables of the environment; changes nothing. */
void cmd_environment_check(void);

/*
 * Puts the options into the environment, makes names of log and statistics files absolute,
 * and fills *config from what the library will then find. False after a message.
 */
bool cmd_environment_set(const struct cmd_options *options, struct pr_config *config);

/* One message for each of log and statistics that cannot be written by `program`. */
void cmd_outputs_check(const struct pr_config *config, const char *program);

/* Is it a word that names a sub-command, of this version or of a later one? */
bool cmd_is_subcommand(const char *word);

/* Writes --help to standard output. False when that failed. */
bool cmd_help(void);

/*
 * In a seccomp sandbox, tells the library through PREREAD_SANDBOX that its calls were tried
 * there; says so where they are forbidden.
 */
void cmd_sandbox_try(void);

/* Becomes the program. Returns a status after a message when that is not possible. */
enum cmd_status cmd_run(const struct pr_config *config, bool summary, char **program);

/* Can the library help a program? */
enum cmd_kind {
	CMD_KIND_HELPED, /* nothing speaks against it */
	CMD_KIND_STATIC, /* no loader takes part: LD_PRELOAD is only for its children */
	CMD_KIND_FOREIGN, /* another word size or machine: the loader would complain */
	CMD_KIND_LIBC, /* another C library than glibc */
	CMD_KIND_ASAN, /* its sanitizer insists on being the first library */
	CMD_KIND_SECURE /* setuid and the like: the loader ignores LD_PRELOAD */
};

/*
 * What an executable file is; what its interpreter is if it is a script. A file that cannot
 * be read, or that is none of the kinds, counts as helped. judged[size] receives the path of
 * the file that was judged: the last interpreter's, or `path` itself.
 */
enum cmd_kind cmd_kind_of(const char *path, char *judged, size_t size);

#endif
