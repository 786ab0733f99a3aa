/*
 * What the library writes for itself must raise no signal and must not block: SIGXFSZ where
 * files may not grow, SIGPIPE where nobody reads standard error any more, and a standard error
 * that is full. Alone, the program writes nothing.
 */
#include "victim.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define SIZE (2 * MIB)

static void read_cold(void)
{
	uint8_t buf[4096];
	int fd = open("data", O_RDONLY);

	CHECK(fd >= 0);
	make_cold(fd);
	for (off_t at = SIZE - 4096; at >= 0; at -= 4096)
		CHECK(pread(fd, buf, sizeof(buf), at) == (ssize_t)sizeof(buf));
	CHECK(close(fd) == 0);
}

static int in_child(void (*run)(void))
{
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		run();
		exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

static void no_growth(void)
{
	struct rlimit limit = {0, 0};

	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	read_cold();
}

/* Runs itself again, with the log, were there one, on a pipe as standard error. */
static void again(bool full)
{
	char *argv[] = {(char *)"again", (char *)"again", NULL};
	int ends[2];

	CHECK(setenv("PREREAD_LOG", "-", 1) == 0 && unsetenv("PREREAD_STATS") == 0);
	CHECK(pipe(ends) == 0);
	if (full) {
		char page[4096] = "";

		CHECK(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
		while (write(ends[1], page, sizeof(page)) > 0)
			;
		CHECK(fcntl(ends[1], F_SETFL, 0) == 0);
		alarm(20);
	} else {
		close(ends[0]);
	}
	CHECK(dup2(ends[1], 2) == 2);
	execv("/proc/self/exe", argv);
}

static void nobody_reads(void)
{
	again(false);
}

static void is_full(void)
{
	again(true);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1) {
		read_cold();
		return 0;
	}
	setvbuf(stdout, NULL, _IONBF, 0);
	pattern_file("data", SIZE, 1);
	printf("no file may grow: %d\n", in_child(no_growth));
	printf("nobody reads stderr: %d\n", in_child(nobody_reads));
	printf("stderr is full: %d\n", in_child(is_full));
	return 0;
}
