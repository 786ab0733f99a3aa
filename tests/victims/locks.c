/*
 * Any close of a file drops all POSIX locks that the process has on it, and any open breaks a
 * lease. So a library that opens a data file for itself, however shortly, destroys what keeps
 * two programs from writing over each other.
 */
#include "victim.h"
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#define SIZE (4 * MIB)

static volatile sig_atomic_t lease_broken;

static void on_lease(int sig)
{
	(void)sig;
	lease_broken = 1;
}

static void read_all_ways(int fd)
{
	uint8_t buf[4096];

	make_cold(fd);
	for (off_t at = SIZE - 4096; at >= 0; at -= 4096) {
		CHECK(pread(fd, buf, sizeof(buf), at) == (ssize_t)sizeof(buf));
		CHECK(pattern_ok(buf, sizeof(buf), (uint64_t)at, 1));
	}
	make_cold(fd);
	CHECK(lseek(fd, 0, SEEK_SET) == 0);
	for (off_t at = 0; at < SIZE; at += 4096)
		CHECK(read(fd, buf, sizeof(buf)) == (ssize_t)sizeof(buf));
	make_cold(fd);
	for (off_t at = 0; at < SIZE; at += 64 * KIB)
		CHECK(pread(fd, buf, 4096, at) == 4096);
}

/* Whether another process finds our lock. */
static bool is_locked(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		int fd = open("data", O_RDWR);

		if (fd < 0 || fcntl(fd, F_GETLK, &lock) < 0)
			_exit(2);
		_exit(lock.l_type == F_UNLCK);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(status == 0 || status == 1 << 8);
	return status == 0;
}

static void check_posix_lock(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
	int fd = open("data", O_RDWR);

	CHECK(fd >= 0);
	CHECK(fcntl(fd, F_SETLK, &lock) == 0);
	CHECK(is_locked());
	read_all_ways(fd);
	CHECK(is_locked());
	CHECK(close(fd) == 0);
	CHECK(!is_locked());
}

static void check_lease(void)
{
	struct sigaction act = {.sa_handler = on_lease};
	int fd = open("data", O_RDONLY);

	CHECK(fd >= 0);
	CHECK(sigaction(SIGIO, &act, NULL) == 0);
	if (fcntl(fd, F_SETLEASE, F_WRLCK) != 0)
		return;
	read_all_ways(fd);
	CHECK(fcntl(fd, F_GETLEASE) == F_WRLCK);
	CHECK(!lease_broken);
	CHECK(close(fd) == 0);
}

int main(void)
{
	pattern_file("data", SIZE, 1);
	check_posix_lock();
	check_lease();
	puts("locks and leases kept");
	return 0;
}
