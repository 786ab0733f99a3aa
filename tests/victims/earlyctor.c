/*
 * Reads before any library's constructor has run (.preinit_array), in a constructor, and after
 * the libraries' destructors have been called. A library that resolves its functions in its
 * constructor jumps to address 0 in the first of them.
 */
#include "victim.h"

static bool early_ok, constructor_ok;

static bool read_self(void)
{
	char magic[4] = "";
	char again[4] = "";
	int fd = open("/proc/self/exe", O_RDONLY);
	bool ok = fd >= 0 && read(fd, magic, 4) == 4 && pread(fd, again, 4, 0) == 4;

	for (off_t at = 0; ok && at < 64 * KIB; at += 512) {
		char block[512];

		ok = pread(fd, block, sizeof(block), at) >= 0;
	}
	if (ok)
		ok = lseek(fd, 0, SEEK_CUR) == 4 && dup2(fd, 9) == 9 && close(9) == 0;
	return ok && close(fd) == 0 && !memcmp(magic, "\177ELF", 4) && !memcmp(again, magic, 4);
}

static void early(int argc, char **argv, char **envp)
{
	(void)argc, (void)argv, (void)envp;
	errno = 0;
	early_ok = read_self() && errno == 0;
}

__attribute__((section(".preinit_array"), used)) static void (*preinit)(int, char **,
									char **) = early;

__attribute__((constructor(101))) static void constructor(void)
{
	constructor_ok = read_self();
}

__attribute__((destructor(101))) static void destructor(void)
{
	static const char well[] = "destructor ok\n";

	if (read_self() && write(1, well, sizeof(well) - 1) < 0)
		_exit(9);
}

static void at_exit(void)
{
	static const char well[] = "atexit ok\n";

	if (read_self() && write(1, well, sizeof(well) - 1) < 0)
		_exit(9);
}

int main(void)
{
	CHECK(atexit(at_exit) == 0);
	printf("preinit %d, constructor %d\n", early_ok, constructor_ok);
	fflush(stdout);
	return read_self() ? 0 : 1;
}
