#include "command/command.h"

#include <stdio.h>
#include "common/version.h"

static enum cmd_status not_in_this_version(const char *word)
{
	cmd_say("%s: not in this version (a program of that name: preread -- %s)", word, word);
	return CMD_USAGE;
}

int main(int argc, char **argv)
{
	struct cmd_options options;
	struct pr_config config;

	setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
	if (argc > 1 && cmd_is_subcommand(argv[1]))
		return not_in_this_version(argv[1]);
	if (!cmd_options_parse(argc, argv, &options))
		return CMD_FAILED;
	if (options.help)
		return cmd_help() ? CMD_FINE : CMD_FAILED;
	if (options.version) {
		printf("preread %s\n", PR_VERSION);
		return cmd_output_written() ? CMD_FINE : CMD_FAILED;
	}
	cmd_environment_check();
	if (!cmd_environment_set(&options, &config))
		return CMD_FAILED;
	return cmd_run(&config, options.summary, options.program);
}
