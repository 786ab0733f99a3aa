/*
 * endings WAY FILE: reads 100 blocks, then ends in one of the ways in which a destructor does
 * not run, or runs at the wrong time. endings.sh wants the statistics to be right all the same.
 */
#include "victim.h"
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

static char *file;

static void read_blocks(int n)
{
	uint8_t buf[4096];
	int fd = open(file, O_RDONLY);

	CHECK(fd >= 0);
	for (int i = 0; i < n; i++)
		CHECK(read(fd, buf, sizeof(buf)) == (ssize_t)sizeof(buf));
	CHECK(close(fd) == 0);
}

static void *last_thread(void *arg)
{
	pthread_t *main_thread = arg;

	CHECK(pthread_join(*main_thread, NULL) == 0);
	read_blocks(50);
	return NULL;
}

static void read_more(void)
{
	read_blocks(50);
}

static void end(const char *way)
{
	static pthread_t self, other;
	char *again[] = {(char *)"true", NULL};

	if (!strcmp(way, "_exit"))
		_exit(0);
	if (!strcmp(way, "exit_group"))
		syscall(SYS_exit_group, 0);
	if (!strcmp(way, "quick_exit"))
		quick_exit(0);
	if (!strcmp(way, "exec"))
		execv("/bin/true", again);
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "kill"))
		raise(SIGKILL);
	if (!strcmp(way, "term"))
		raise(SIGTERM);
	if (!strcmp(way, "pthread_exit")) {
		self = pthread_self();
		CHECK(pthread_create(&other, NULL, last_thread, &self) == 0);
		pthread_exit(NULL);
	}
}

int main(int argc, char **argv)
{
	struct rlimit none = {0, 0};

	if (argc != 3)
		return 2;
	file = argv[2];
	setrlimit(RLIMIT_CORE, &none);
	if (!strcmp(argv[1], "atexit"))
		CHECK(atexit(read_more) == 0);
	read_blocks(!strcmp(argv[1], "atexit") || !strcmp(argv[1], "pthread_exit") ? 50 : 100);
	end(argv[1]);
	return 0;
}
