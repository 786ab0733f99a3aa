#include "shim/real.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

struct prs_real prs_real_functions;
bool prs_real_known;

static const struct {
	const char *name;
	size_t slot;
} names[] = {
	{"syscall", offsetof(struct prs_real, syscall)},
	{"read", offsetof(struct prs_real, read)},
	{"__read_chk", offsetof(struct prs_real, read_chk)},
	{"pread", offsetof(struct prs_real, pread)},
	{"pread64", offsetof(struct prs_real, pread64)},
	{"__pread_chk", offsetof(struct prs_real, pread_chk)},
	{"__pread64_chk", offsetof(struct prs_real, pread64_chk)},
	{"readv", offsetof(struct prs_real, readv)},
	{"preadv", offsetof(struct prs_real, preadv)},
	{"preadv64", offsetof(struct prs_real, preadv64)},
	{"preadv2", offsetof(struct prs_real, preadv2)},
	{"preadv64v2", offsetof(struct prs_real, preadv64v2)},
	{"lseek", offsetof(struct prs_real, lseek)},
	{"lseek64", offsetof(struct prs_real, lseek64)},
	{"open", offsetof(struct prs_real, open)},
	{"open64", offsetof(struct prs_real, open64)},
	{"__open_2", offsetof(struct prs_real, open_2)},
	{"__open64_2", offsetof(struct prs_real, open64_2)},
	{"openat", offsetof(struct prs_real, openat)},
	{"openat64", offsetof(struct prs_real, openat64)},
	{"__openat_2", offsetof(struct prs_real, openat_2)},
	{"__openat64_2", offsetof(struct prs_real, openat64_2)},
	{"creat", offsetof(struct prs_real, creat)},
	{"creat64", offsetof(struct prs_real, creat64)},
	{"open_by_handle_at", offsetof(struct prs_real, open_by_handle_at)},
	{"fcntl", offsetof(struct prs_real, fcntl)},
	{"fcntl64", offsetof(struct prs_real, fcntl64)},
	{"close", offsetof(struct prs_real, close)},
	{"close_range", offsetof(struct prs_real, close_range)},
	{"closefrom", offsetof(struct prs_real, closefrom)},
	{"dup", offsetof(struct prs_real, dup)},
	{"dup2", offsetof(struct prs_real, dup2)},
	{"dup3", offsetof(struct prs_real, dup3)},
	{"fopen", offsetof(struct prs_real, fopen)},
	{"fopen64", offsetof(struct prs_real, fopen64)},
	{"freopen", offsetof(struct prs_real, freopen)},
	{"freopen64", offsetof(struct prs_real, freopen64)},
	{"fclose", offsetof(struct prs_real, fclose)},
	{"fcloseall", offsetof(struct prs_real, fcloseall)},
	{"tmpfile", offsetof(struct prs_real, tmpfile)},
	{"tmpfile64", offsetof(struct prs_real, tmpfile64)},
	{"mkostemps", offsetof(struct prs_real, mkostemps)},
	{"mkostemps64", offsetof(struct prs_real, mkostemps64)},
	{"execve", offsetof(struct prs_real, execve)},
	{"execvpe", offsetof(struct prs_real, execvpe)},
	{"fexecve", offsetof(struct prs_real, fexecve)},
	{"execveat", offsetof(struct prs_real, execveat)},
	{"_exit", offsetof(struct prs_real, exit_now)},
	{"quick_exit", offsetof(struct prs_real, quick_exit)},
	{"prctl", offsetof(struct prs_real, prctl)},
};

/*
 * Runs in our constructor, or in the first wrapper that another library's constructor calls.
 * Two threads may get here at once and then store the same values.
 */
void prs_real_resolve(void)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void **slot = (void **)((char *)&prs_real_functions + names[i].slot);

		*slot = dlsym(RTLD_NEXT, names[i].name);
	}
	__atomic_store_n(&prs_real_known, true, __ATOMIC_RELEASE);
}
