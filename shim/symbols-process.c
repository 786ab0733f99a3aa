/*
 * symbols-process.c - the process ends, becomes another program, or enters a sandbox.
 *
 * fork() is seen by a handler (state.c); vfork(), clone() and posix_spawn() are left alone:
 * what their children do to descriptors is recognised as another process's.
 */
#include <alloca.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "shim/symbols.h"

extern char **environ;

EXPORT void _exit(int status)
{
	prs_finish("normal");
	prs_real()->exit_now(status);
	__builtin_unreachable();
}

SIBLING(_exit, _Exit);

EXPORT void quick_exit(int status)
{
	prs_finish("normal");
	prs_real()->quick_exit(status);
	__builtin_unreachable();
}

static int next_execve(const char *path, char *const arguments[], char *const environment[])
{
	prs_finish("exec");
	return prs_real()->execve(path, arguments, environment);
}

static int next_execvpe(const char *name, char *const arguments[], char *const environment[])
{
	prs_finish("exec");
	return prs_real()->execvpe(name, arguments, environment);
}

EXPORT int execve(const char *path, char *const arguments[], char *const environment[])
{
	return next_execve(path, arguments, environment);
}

EXPORT int execv(const char *path, char *const arguments[])
{
	return next_execve(path, arguments, environ);
}

EXPORT int execvpe(const char *name, char *const arguments[], char *const environment[])
{
	return next_execvpe(name, arguments, environment);
}

EXPORT int execvp(const char *name, char *const arguments[])
{
	return next_execvpe(name, arguments, environ);
}

EXPORT int fexecve(int fd, char *const arguments[], char *const environment[])
{
	prs_finish("exec");
	return prs_real()->fexecve(fd, arguments, environment);
}

EXPORT int execveat(int dir, const char *path, char *const arguments[],
		    char *const environment[], int flags)
{
	prs_finish("exec");
	return prs_real()->execveat(dir, path, arguments, environment, flags);
}

/* Arguments after the first, the NULL that ends them included. */
static size_t count_rest(va_list list)
{
	size_t count = 1;

	while (va_arg(list, char *))
		count++;
	return count;
}

/* Stores all arguments; the word after them is execle's environment, and noise otherwise. */
static char **store(char **to, const char *first, size_t rest, va_list list, bool has_more)
{
	to[0] = (char *)(uintptr_t)first;
	for (size_t i = 1; i <= rest; i++)
		to[i] = va_arg(list, char *);
	return has_more ? va_arg(list, char **) : environ;
}

/* Sets `count` to how many arguments follow the parameter `first`, NULL included. */
#define COUNT_REST(count, first)                                                               \
	do {                                                                                   \
		va_list rest;                                                                  \
		va_start(rest, first);                                                         \
		count = count_rest(rest);                                                      \
		va_end(rest);                                                                  \
	} while (0)

EXPORT int execl(const char *path, const char *first, ...)
{
	char **arguments;
	size_t count;
	va_list list;

	COUNT_REST(count, first);
	arguments = alloca((count + 1) * sizeof(char *));
	va_start(list, first);
	store(arguments, first, count, list, false);
	va_end(list);
	return next_execve(path, arguments, environ);
}

EXPORT int execlp(const char *name, const char *first, ...)
{
	char **arguments;
	size_t count;
	va_list list;

	COUNT_REST(count, first);
	arguments = alloca((count + 1) * sizeof(char *));
	va_start(list, first);
	store(arguments, first, count, list, false);
	va_end(list);
	return next_execvpe(name, arguments, environ);
}

EXPORT int execle(const char *path, const char *first, ...)
{
	char **arguments, **environment;
	size_t count;
	va_list list;

	COUNT_REST(count, first);
	arguments = alloca((count + 1) * sizeof(char *));
	va_start(list, first);
	environment = store(arguments, first, count, list, true);
	va_end(list);
	return next_execve(path, arguments, environment);
}

/*
 * A sandbox that the program builds for itself was not made with our calls in mind. Going
 * quiet comes before the call, while writing the log's last line is still allowed.
 */
EXPORT int prctl(int option, ...)
{
	unsigned long a, b, c, d;
	va_list list;

	va_start(list, option);
	a = va_arg(list, unsigned long);
	b = va_arg(list, unsigned long);
	c = va_arg(list, unsigned long);
	d = va_arg(list, unsigned long);
	va_end(list);
	if (option == PR_SET_SECCOMP)
		prs_latch("seccomp");
	return prs_real()->prctl(option, a, b, c, d);
}

EXPORT long syscall(long number, ...)
{
	long a[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if ((number == SYS_seccomp &&
	     (a[0] == SECCOMP_SET_MODE_STRICT || a[0] == SECCOMP_SET_MODE_FILTER)) ||
	    (number == SYS_prctl && a[0] == PR_SET_SECCOMP))
		prs_latch("seccomp");
	if (number == SYS_exit_group)
		prs_finish("normal");
	return prs_real()->syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
