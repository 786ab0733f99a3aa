#include "command/command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIBRARY "libpreread.so"

/* Can it be executed? 0, or why not. */
static int executable(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	if (!S_ISREG(st.st_mode))
		return EACCES;
	return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

/*
 * Finds the program where execvp will: only to judge it beforehand, the exec searches again.
 * Fills found[size] and returns 0, or says why there is none: as execvp, what may not be
 * executed is passed over and remembered.
 */
static int resolve(const char *name, char *found, size_t size)
{
	const char *path = getenv("PATH"), *end;
	int fault = ENOENT;

	if (strchr(name, '/')) {
		snprintf(found, size, "%s", name);
		return executable(name);
	}
	if (!path)
		path = "/bin:/usr/bin";
	for (; *name; path = end + 1) {
		int length, why;

		end = strchrnul(path, ':');
		length = snprintf(found, size, "%.*s%s%s", (int)(end - path), path,
				  end == path ? "" : "/", name);
		why = (size_t)length < size ? executable(found) : ENAMETOOLONG;
		if (!why)
			return 0;
		if (why == EACCES)
			fault = EACCES;
		if (!*end)
			break;
	}
	return fault;
}

static bool is_readable_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, R_OK) == 0;
}

/*
 * Finds the library: beside the command (a build folder), in the lib folder next to the
 * command's (an installation, also one that was moved), or where it was to be installed.
 */
static bool find_library(char *found, size_t size)
{
	char folder[PATH_MAX] = "";
	ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
	char *slash;

	folder[length > 0 ? length : 0] = '\0';
	slash = strrchr(folder, '/');
	if (slash) {
		*slash = '\0';
		snprintf(found, size, "%s/" LIBRARY, folder);
		if (is_readable_file(found))
			return true;
		slash = strrchr(folder, '/');
	}
	if (slash) {
		*slash = '\0';
		snprintf(found, size, "%s/lib/" LIBRARY, folder);
		if (is_readable_file(found))
			return true;
	}
	snprintf(found, size, "%s", PREREAD_LIBDIR "/" LIBRARY);
	if (is_readable_file(found))
		return true;
	cmd_say("missing library: no " LIBRARY " beside preread, nor in " PREREAD_LIBDIR);
	return false;
}

/* Puts the library before what LD_PRELOAD holds already. */
static bool prepend_preload(const char *library)
{
	const char *old = getenv("LD_PRELOAD");
	size_t length = strlen(library);
	char *value;
	bool fine;

	if (!old || !*old)
		return setenv("LD_PRELOAD", library, 1) == 0;
	old += strspn(old, ": ");
	if (strncmp(old, library, length) == 0 && (!old[length] || strchr(": ", old[length])))
		return true;
	if (asprintf(&value, "%s:%s", library, old) < 0)
		return false;
	fine = setenv("LD_PRELOAD", value, 1) == 0;
	free(value);
	return fine;
}

static bool preload(void)
{
	char library[PATH_MAX + sizeof(LIBRARY)];

	if (!find_library(library, sizeof(library)))
		return false;
	if (strpbrk(library, " :$")) {
		cmd_say("%s: LD_PRELOAD cannot hold a path with a blank, a colon or a dollar",
			cmd_shown(library));
		return false;
	}
	if (!prepend_preload(library)) {
		cmd_say("LD_PRELOAD: %s", strerror(errno));
		return false;
	}
	return true;
}

/* Says why the program cannot be helped, if so. True: preload the library all the same. */
static bool judge(const char *name, const char *path)
{
	char judged[PATH_MAX];
	enum cmd_kind kind = cmd_kind_of(path, judged, sizeof(judged));
	const char *why;

	switch (kind) {
	case CMD_KIND_STATIC:
		why = "is statically linked: it runs unhelped, what it starts is helped";
		break;
	case CMD_KIND_FOREIGN:
		why = "is for another word size or machine than preread: it runs unhelped";
		break;
	case CMD_KIND_LIBC:
		why = "uses another C library than glibc: it runs unhelped";
		break;
	case CMD_KIND_ASAN:
		why = "is built with AddressSanitizer, which has to come first: it runs "
		      "unhelped";
		break;
	case CMD_KIND_SECURE:
		why = "gains privileges (setuid, setgid or file capabilities): it runs "
		      "unhelped";
		break;
	default:
		return true;
	}
	if (strcmp(judged, path) == 0)
		cmd_say("%s: %s", cmd_shown(name), why);
	else
		cmd_say("%s: its interpreter %s %s", cmd_shown(name), cmd_shown(judged), why);
	return kind == CMD_KIND_STATIC;
}

static enum cmd_status cannot_run(const char *name, int fault)
{
	cmd_say("%s: %s", cmd_shown(name), strerror(fault));
	return fault == ENOENT ? CMD_NOT_FOUND : CMD_CANNOT_EXECUTE;
}

/* The program was found before: what is missing now is something that it needs. */
static enum cmd_status become(char **program)
{
	execvp(program[0], program);
	if (errno == ENOENT) {
		cmd_say("%s: the interpreter or loader that it names is not there",
			cmd_shown(program[0]));
		return CMD_NOT_FOUND;
	}
	return cannot_run(program[0], errno);
}

enum cmd_status cmd_run(const struct pr_config *config, bool summary, char **program)
{
	char path[PATH_MAX], pid[24];
	int fault = resolve(program[0], path, sizeof(path));

	if (fault)
		return cannot_run(program[0], fault);
	if (config->mode == PR_MODE_OFF)
		return become(program);
	cmd_outputs_check(config, program[0]);
	if (judge(program[0], path) && !preload())
		return CMD_FAILED;
	cmd_sandbox_try();
	/* The exec keeps the process id: the library prints the line where it finds its own. */
	snprintf(pid, sizeof(pid), "%ld", (long)getpid());
	if (summary && setenv("PREREAD_SUMMARY", pid, 1) != 0) {
		cmd_say("PREREAD_SUMMARY: %s", strerror(errno));
		return CMD_FAILED;
	}
	return become(program);
}
