/*
 * No address space is left: every mmap fails. A library whose table grows then must do without
 * (uthash's default is exit()). And the same from the start of the program on, when even the
 * first arena cannot be had: it runs itself again under a limit that only just lets it start.
 */
#include "victim.h"
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define SIZE  (256 * KIB)
#define FILES 100

static uint8_t buf[4096];

static long pages_now(void)
{
	char text[64] = "";
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/statm", O_RDONLY);

	CHECK(fd >= 0 && syscall(SYS_read, fd, text, sizeof(text) - 1) > 0);
	syscall(SYS_close, fd);
	return atol(text);
}

static void limit_to(unsigned long bytes)
{
	struct rlimit limit = {bytes, bytes};

	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

static void read_file(const char *name, uint32_t seed)
{
	int fd = open(name, O_RDONLY);

	CHECK(fd >= 0);
	make_cold(fd);
	for (off_t at = SIZE - 4096; at >= 0; at -= 4096) {
		CHECK(pread(fd, buf, sizeof(buf), at) == (ssize_t)sizeof(buf));
		CHECK(pattern_ok(buf, sizeof(buf), (uint64_t)at, seed));
	}
	for (off_t at = 0; at < SIZE; at += 4096)
		CHECK(read(fd, buf, sizeof(buf)) == (ssize_t)sizeof(buf));
	CHECK(close(fd) == 0);
}

static void read_files(void)
{
	char name[16];

	for (uint32_t i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "f%u", i % 20);
		read_file(name, i % 20);
	}
}

static void run_again(char *self)
{
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		char *argv[] = {self, (char *)"again", NULL};

		/* What a plain program needs to start, and a megabyte. */
		limit_to(5 * MIB);
		execv("/proc/self/exe", argv);
		_exit(60);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(status == 0);
}

int main(int argc, char **argv)
{
	char name[16];

	if (argc > 1) {
		read_files();
		return 0;
	}
	for (uint32_t i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		pattern_file(name, SIZE, i);
	}
	printf("with no room to spare: ");
	fflush(stdout);
	run_again(argv[0]);
	limit_to((unsigned long)pages_now() * (unsigned long)sysconf(_SC_PAGESIZE));
	CHECK(mmap(NULL, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	read_files();
	puts("read all");
	return 0;
}
