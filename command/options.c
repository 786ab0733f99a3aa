#include "command/command.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/filename.h"

#define PREFIX "PREREAD_"

extern char **environ;

/* What getopt_long returns for the options that are no tunable; those return their index. */
enum { OPTION_HELP = PR_TUNABLE_COUNT, OPTION_VERSION };

static const struct option long_options[] = {
#define TUNABLE_OPTION(id, var, opt, kind, def, meta, help)                                    \
	{opt, required_argument, NULL, PR_TUNABLE_##id},
	PR_TUNABLES(TUNABLE_OPTION)
#undef TUNABLE_OPTION
		{"summary", no_argument, NULL, 's'},
	{"help", no_argument, NULL, OPTION_HELP},
	{"version", no_argument, NULL, OPTION_VERSION},
	{NULL, 0, NULL, 0},
};

bool cmd_is_subcommand(const char *word)
{
	static const char *const words[] = {"report", "plot", "replay", "learn",
					    "check",  "live", "off"};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

static bool usage(void)
{
	fputs("Try 'preread --help'.\n", stderr);
	return false;
}

/* Takes the option of that tunable. */
static bool take_value(struct cmd_options *options, int tunable, const char *value)
{
	struct pr_config scratch;
	const char *expected;

	pr_config_defaults(&scratch);
	expected = pr_config_set(&scratch, (enum pr_tunable)tunable, value);
	if (expected) {
		cmd_say("--%s=%s: %s", long_options[tunable].name, cmd_shown(value), expected);
		return false;
	}
	options->value[tunable] = value;
	return true;
}

bool cmd_options_parse(int argc, char **argv, struct cmd_options *options)
{
	/* getopt's own messages begin with argv[0], which need not say preread. */
	static char name[] = "preread";
	char *called = argv[0];
	int option;

	memset(options, 0, sizeof(*options));
	if (argc > 0)
		argv[0] = name;
	while ((option = getopt_long(argc, argv, "+s", long_options, NULL)) != -1) {
		if (option == '?')
			return usage();
		if (option == 's')
			options->summary = true;
		else if (option == OPTION_HELP)
			options->help = true;
		else if (option == OPTION_VERSION)
			options->version = true;
		else if (!take_value(options, option, optarg))
			return false;
	}
	if (argc > 0)
		argv[0] = called;
	options->program = argv + optind;
	if (optind >= argc && !options->help && !options->version) {
		cmd_say("no program given");
		return usage();
	}
	return true;
}

/* The tunable of the variable NAME=...; PR_TUNABLE_COUNT when there is none. */
static unsigned tunable_of(const char *variable, size_t length)
{
	unsigned t;

	for (t = 0; t < PR_TUNABLE_COUNT; t++) {
		const char *name = pr_tunable_variable((enum pr_tunable)t);

		if (strlen(name) == length && memcmp(name, variable, length) == 0)
			break;
	}
	return t;
}

static void check_variable(struct pr_config *config, const char *variable)
{
	size_t length = strcspn(variable, "=");
	unsigned t = tunable_of(variable, length);
	const char *value = variable + length + 1, *expected;
	char name[128];

	/* We set these ourselves, and a program under preread may start preread again. */
	if ((length == strlen(PREFIX "SUMMARY") &&
	     !strncmp(variable, PREFIX "SUMMARY", length)) ||
	    (length == strlen(PREFIX "SANDBOX") &&
	     !strncmp(variable, PREFIX "SANDBOX", length)))
		return;
	if (t == PR_TUNABLE_COUNT) {
		snprintf(name, sizeof(name), "%.*s", (int)length, variable);
		cmd_say("%s: no variable of this version, ignored", cmd_shown(name));
		return;
	}
	expected = pr_config_set(config, (enum pr_tunable)t, value);
	if (expected)
		cmd_say("%s=%s: %s; the default holds", pr_tunable_variable((enum pr_tunable)t),
			cmd_shown(value), expected);
}

void cmd_environment_check(void)
{
	struct pr_config config;
	char **variable;

	pr_config_defaults(&config);
	for (variable = environ; *variable; variable++)
		if (strncmp(*variable, PREFIX, strlen(PREFIX)) == 0 && strchr(*variable, '='))
			check_variable(&config, *variable);
}

/* The pattern made absolute, as a new string; NULL when there is nothing to change. */
static char *absolute_pattern(const char *pattern)
{
	char cwd[PATH_MAX], *made;
	size_t i, used = 0;

	/* What begins with a conversion may turn out absolute: the library will see. */
	if (!pattern || strchr("/%", *pattern) || strcmp(pattern, "-") == 0 ||
	    strcmp(pattern, "off") == 0 || !getcwd(cwd, sizeof(cwd)))
		return NULL;
	made = malloc(2 * strlen(cwd) + 1 + strlen(pattern) + 1);
	if (!made)
		return NULL;
	for (i = 0; cwd[i]; i++) {
		made[used++] = cwd[i];
		if (cwd[i] == '%')
			made[used++] = '%';
	}
	if (used && made[used - 1] != '/')
		made[used++] = '/';
	strcpy(made + used, pattern);
	return made;
}

/*
 * A relative name means the folder where preread was called, for children that change theirs
 * as well: so the variable carries the absolute one.
 */
static bool set_variable(enum pr_tunable t, const char *value)
{
	bool file = t == PR_TUNABLE_log || t == PR_TUNABLE_stats;
	char *made = file ? absolute_pattern(value) : NULL;
	bool fine = setenv(pr_tunable_variable(t), made ? made : value, 1) == 0;

	free(made);
	return fine;
}

bool cmd_environment_set(const struct cmd_options *options, struct pr_config *config)
{
	unsigned t;

	pr_config_defaults(config);
	for (t = 0; t < PR_TUNABLE_COUNT; t++) {
		const char *variable = pr_tunable_variable((enum pr_tunable)t);
		const char *value = options->value[t] ? options->value[t] : getenv(variable);

		if (value && !set_variable((enum pr_tunable)t, value)) {
			cmd_say("%s: %s", variable, strerror(errno));
			return false;
		}
		pr_config_set(config, (enum pr_tunable)t, getenv(variable));
	}
	/* Here, where the options have had their say. */
	if (!pr_config_settle(config) && getenv(PREFIX "WINDOW_MIN"))
		cmd_say(PREFIX "WINDOW_MIN is above " PREFIX
			       "WINDOW_MAX, which holds for both");
	return true;
}

/* 0, or why the file cannot be appended to. Creates nothing: it may stay unused. */
static int unwritable(const char *path)
{
	char folder[PATH_MAX];
	struct stat found;
	char *slash;
	int fd;

	/* To open a FIFO would wait for its reader, or wake it. */
	if (lstat(path, &found) == 0 && S_ISFIFO(found.st_mode))
		return 0;
	fd = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (errno != ENOENT)
		return errno;
	snprintf(folder, sizeof(folder), "%s", path);
	slash = strrchr(folder, '/');
	if (!slash || !slash[1])
		return EISDIR;
	slash[slash == folder] = '\0';
	return faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

static void check_output(const char *what, const char *pattern, const char *program)
{
	char host[HOST_NAME_MAX + 1] = "", cwd[PATH_MAX] = "/", path[PATH_MAX];
	struct pr_filename_facts facts = {getpid(), host, program, cwd, environ};
	enum pr_filename_kind kind;
	int fault = 0;

	if (!pattern)
		return;
	gethostname(host, sizeof(host) - 1);
	if (!getcwd(cwd, sizeof(cwd)))
		fault = errno;
	kind = pr_filename_expand(pattern, &facts, path, sizeof(path));
	if (kind == PR_FILENAME_BAD)
		fault = ENAMETOOLONG;
	else if (kind == PR_FILENAME_PATH && !fault)
		fault = unwritable(path);
	if (fault)
		cmd_say("no %s: %s: %s", what, cmd_shown(*path ? path : pattern),
			fault == ELOOP ? "a symbolic link, which is not followed"
				       : strerror(fault));
}

void cmd_outputs_check(const struct pr_config *config, const char *program)
{
	check_output("log", config->log, program);
	check_output("statistics", config->stats, program);
}
