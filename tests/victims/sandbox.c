/*
 * Starts a program inside a seccomp filter: `sandbox allow` forbids nothing, as a container's
 * filter does to us; `sandbox kill` kills for fadvise64(WILLNEED), as one could that never
 * heard of it (but not for the SEQUENTIAL of coreutils).
 */
#include "victim.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

int main(int argc, char **argv)
{
	unsigned verdict = argc > 2 && !strcmp(argv[1], "kill") ? SECCOMP_RET_KILL_PROCESS
								: SECCOMP_RET_ALLOW;
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fadvise64, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, POSIX_FADV_WILLNEED, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, verdict),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {LEN(filter), filter};

	if (argc < 3)
		return 2;
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		victim_skip("no seccomp filters here");
	execvp(argv[2], argv + 2);
	return 127;
}
