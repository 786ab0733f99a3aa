#include "command/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "common/text.h"

void cmd_say(const char *format, ...)
{
	char line[4096];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	/* One write: several commands of a pipeline may share the terminal. */
	fprintf(stderr, "preread: %s\n", line);
}

const char *cmd_shown(const char *text)
{
	static char ring[4][1024];
	static unsigned next;
	char *at = ring[next++ % 4];
	struct pr_text t;

	pr_text_init(&t, at, sizeof(ring[0]));
	pr_text_shown(&t, text);
	return at;
}

bool cmd_output_written(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return true;
	cmd_say("standard output: %s", strerror(errno));
	return false;
}
