/* config.c - what the environment says. */
#include "shim/shim.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "common/filename.h"
#include "common/text.h"
#include "shim/report.h"

#define COMPLAINTS 16

struct prs_settings prs_settings;

extern char **environ;

static struct complaint {
	const char *why, *variable, *value;
} complaints[COMPLAINTS];
static unsigned complaint_count;

/* The environment is the program's, which may write its title there: what is needed later is
 * copied. No malloc in here; and this is rare. */
static const char *keep(const char *value)
{
	size_t size = strlen(value) + 1;
	char *copy =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return copy == MAP_FAILED ? "" : memcpy(copy, value, size);
}

static void complain(const char *why, const char *variable, const char *value)
{
	if (complaint_count < COMPLAINTS)
		complaints[complaint_count++] = (struct complaint){why, variable, keep(value)};
}

const char *prs_complaint(unsigned i, const char **variable, const char **value)
{
	if (i >= complaint_count)
		return NULL;
	*variable = complaints[i].variable;
	*value = complaints[i].value;
	return complaints[i].why;
}

/* NAME=value, where NAME starts with PREREAD_: sets what it says. */
static void take(const char *entry)
{
	struct pr_config *c = &prs_settings.config;
	const char *equals = strchr(entry, '='), *why;

	if (!equals)
		return;
	for (int i = 0; i < PR_TUNABLE_COUNT; i++) {
		const char *name = pr_tunable_variable((enum pr_tunable)i);
		size_t length = strlen(name);

		if (length != (size_t)(equals - entry) || strncmp(entry, name, length) != 0)
			continue;
		why = pr_config_set(c, (enum pr_tunable)i, equals + 1);
		if (why)
			complain(why, name, equals + 1);
		return;
	}
}

static void name_program(void)
{
	char path[4096];
	struct utsname u;
	struct pr_text t;
	long length = prs_sys(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)path,
			      sizeof(path) - 1);
	const char *base;

	path[length > 0 ? length : 0] = '\0';
	base = strrchr(path, '/');
	pr_text_init(&t, prs_program, sizeof(prs_program));
	pr_text_add(&t, base ? base + 1 : "?");
	pr_text_init(&t, prs_host, sizeof(prs_host));
	pr_text_add(&t, uname(&u) ? "?" : u.nodename);
}

static void expand(const char *pattern, const struct pr_filename_facts *facts, char *out,
		   size_t size, const char *variable)
{
	if (!pattern)
		return;
	switch (pr_filename_expand(pattern, facts, out, size)) {
	case PR_FILENAME_STDERR:
		memcpy(out, "-", 2);
		break;
	case PR_FILENAME_BAD:
		out[0] = '\0';
		complain("expected a file name of at most 4095 bytes", variable, pattern);
		break;
	case PR_FILENAME_PATH:
		break;
	}
}

static void name_files(void)
{
	struct prs_settings *s = &prs_settings;
	struct pr_filename_facts facts = {.pid = getpid(),
					  .host = prs_host,
					  .program = prs_program,
					  .environment = environ};
	char cwd[4096];

	if (prs_sys(SYS_getcwd, (long)cwd, sizeof(cwd), 0, 0) <= 0 || cwd[0] != '/')
		memcpy(cwd, "/", 2);
	facts.cwd = cwd;
	expand(s->config.log, &facts, s->log, sizeof(s->log), "PREREAD_LOG");
	expand(s->config.stats, &facts, s->stats, sizeof(s->stats), "PREREAD_STATS");
}

static bool own_pid_is(const char *text)
{
	uint64_t pid;

	return pr_parse_size(text, &pid) && pid == (uint64_t)getpid();
}

static void remember_stderr(void)
{
	struct stat st;

	if (!prs_stat_fd(2, &st))
		return;
	prs_settings.stderr_dev = st.st_dev;
	prs_settings.stderr_ino = st.st_ino;
}

bool prs_configure(void)
{
	struct prs_settings *s = &prs_settings;
	struct pr_config *c = &s->config;

	pr_config_defaults(c);
	for (char **e = environ; e && *e; e++) {
		if (strncmp(*e, "PREREAD_", 8) != 0)
			continue;
		if (!strncmp(*e, "PREREAD_SUMMARY=", 16))
			s->summary = own_pid_is(*e + 16);
		else
			take(*e);
	}
	if (c->include)
		c->include = keep(c->include);
	if (c->exclude)
		c->exclude = keep(c->exclude);
	if (!pr_config_settle(c))
		complain("expected at most PREREAD_WINDOW_MAX", "PREREAD_WINDOW_MIN", "");
	if (c->mode == PR_MODE_OFF || !c->context_memory)
		return false;
	s->advise = c->mode == PR_MODE_ON;
	s->exact = s->summary || c->log || c->stats;
	if (s->exact) {
		remember_stderr();
		name_program();
		name_files();
	}
	return true;
}
