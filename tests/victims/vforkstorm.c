/*
 * A vfork child shares the parent's memory but not its descriptors: what it closes, duplicates
 * or seeks must not change what the library believes of the parent's. The parent's data, its
 * positions and its descriptors are compared afterwards; the child ends by _exit or by exec.
 */
#include "victim.h"
#include <spawn.h>
#include <sys/wait.h>

#define SIZE   (2 * MIB)
#define ROUNDS 400

extern char **environ;

static void do_in_child(int a, int b, int ends[2], int round)
{
	static uint8_t buf[4096];
	static char *argv[] = {(char *)"true", NULL};

	switch (round % 5) {
	case 0:
		close(a);
		close(b);
		break;
	case 1:
		dup2(b, a);
		if (pread(a, buf, 4096, 8192) != 4096 || !pattern_ok(buf, 4096, 8192, 2))
			_exit(21);
		break;
	case 2:
		dup2(ends[0], a);
		dup2(ends[0], 0);
		close(ends[0]);
		break;
	case 3:
		close(a);
		if (open("data2", O_RDONLY) != a)
			_exit(22);
		if (read(a, buf, 4096) != 4096 || !pattern_ok(buf, 4096, 0, 2))
			_exit(23);
		break;
	default:
		syscall(SYS_close_range, 3U, ~0U, 0U);
		break;
	}
	if (round % 2)
		_exit(0);
	execve("/bin/true", argv, environ);
	_exit(24);
}

/* Not inlined: a vfork child must not run in the frame that the parent goes on to use. */
__attribute__((noinline)) static void one_child(int a, int b, int ends[2], int round)
{
	int status;
	pid_t pid = vfork();

	CHECK(pid >= 0);
	if (pid == 0)
		do_in_child(a, b, ends, round);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(status == 0);
}

static void spawn_reader(int a)
{
	posix_spawn_file_actions_t acts;
	char *argv[] = {(char *)"cat", NULL};
	int status;
	pid_t pid;

	CHECK(posix_spawn_file_actions_init(&acts) == 0);
	CHECK(posix_spawn_file_actions_addclose(&acts, a) == 0);
	CHECK(posix_spawn_file_actions_addopen(&acts, 0, "/dev/null", O_RDONLY, 0) == 0);
	CHECK(posix_spawn(&pid, "/bin/cat", &acts, NULL, argv, environ) == 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(status == 0);
	posix_spawn_file_actions_destroy(&acts);
}

int main(void)
{
	uint8_t buf[4096];
	int ends[2];
	int a, b;

	pattern_file("data1", SIZE, 1);
	pattern_file("data2", SIZE, 2);
	a = open("data1", O_RDONLY);
	b = open("data2", O_RDONLY);
	CHECK(a >= 0 && b >= 0 && pipe(ends) == 0);
	for (int i = 0; i < ROUNDS; i++) {
		off_t at = i * 4096L;
		off_t back = SIZE - 4096 - at;

		if (i % 100 == 0)
			make_cold(a);
		CHECK(read(a, buf, 4096) == 4096);
		CHECK(pattern_ok(buf, 4096, (uint64_t)at, 1));
		one_child(a, b, ends, i);
		if (i % 40 == 0)
			spawn_reader(a);
		CHECK(lseek(a, 0, SEEK_CUR) == at + 4096);
		CHECK(pread(b, buf, 4096, back) == 4096);
		CHECK(pattern_ok(buf, 4096, (uint64_t)back, 2));
	}
	CHECK(write(ends[1], "x", 1) == 1 && read(ends[0], buf, 1) == 1 && buf[0] == 'x');
	printf("%d vfork children left no trace\n", ROUNDS);
	return 0;
}
