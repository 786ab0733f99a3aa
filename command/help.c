#include "command/command.h"

#include <stdio.h>

static const char *const before =
	"Usage: preread [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
	"Run PROGRAM and have the kernel fetch what it is about to read.\n"
	"\n"
	"Each option with a value mirrors an environment variable, and wins over it:\n";

static const char *const after =
	"  -s, --summary         print a line on standard error at PROGRAM's end\n"
	"      --help            print this and exit\n"
	"      --version         print the version and exit\n"
	"\n"
	"Every value may be `off'; an empty one is the default. In FILE, %p is the process\n"
	"id, %h the host, %e the program's name, %{VAR} a variable, %% a percent sign.\n"
	"\n"
	"The exit status is PROGRAM's own; 125 if preread itself fails, 126 if PROGRAM\n"
	"cannot be executed, 127 if it is not found.\n";

static void print_tunable(const char *option, const char *metavar, const char *variable,
			  const char *fallback, const char *help)
{
	printf("      --%s=%s\n", option, metavar);
	printf("                        %s\n", help);
	printf("                        [PREREAD_%s, default %s]\n", variable,
	       fallback ? fallback : "none");
}

bool cmd_help(void)
{
	fputs(before, stdout);
#define TUNABLE_HELP(id, var, opt, kind, def, meta, help)                                      \
	print_tunable(opt, meta, var, def, help);
	PR_TUNABLES(TUNABLE_HELP)
#undef TUNABLE_HELP
	fputs(after, stdout);
	return cmd_output_written();
}
