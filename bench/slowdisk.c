/*
 * slowdisk: a FUSE file system whose reads take as long as a modelled disk would.
 *
 * --disk MNT serves one file, MNT/disk, uncached (direct_io): a loop device on it carries a
 * real file system, so that a program meets the real page cache and the real read-ahead over
 * a slow device. --folder DIR MNT serves the files of DIR read-only through the page cache:
 * all that a user without root can have. A fresh mount is its cold cache.
 *
 * A request does not keep a thread. The FUSE threads only put it into the model (model.h);
 * pacers take what the model has decided, sleep until that moment and answer. Completions come
 * in the order of time, so a pacer that sleeps never holds back an earlier one, and four pacers
 * carry thousands of requests in flight.
 *
 * Only reads are paced: writes and names are instantaneous, since setting up a test should be.
 * MNT/stats (for a folder MNT/.slowdisk, which listings leave out) tells the counters.
 */
#define _GNU_SOURCE	 1
#define FUSE_USE_VERSION 32
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <getopt.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench/model.h"
#include "bench/slowdisk.h"

#define PACERS	    4
#define MOST_READ   (1u << 20)
#define FOREVER_S   86400.0
#define DISK_INO    2
#define STATS_INO   3
#define STATS_BYTES 512

/* One read on its way. Allocated by the FUSE thread, freed by the pacer that answers it. */
struct job {
	fuse_req_t req;
	int fd; /* folder: the open file, kept open by the kernel's own reference */
	uint64_t offset; /* bytes, in the file */
	size_t bytes;
};

static struct {
	pthread_mutex_t lock; /* over the rest of this struct */
	pthread_cond_t more;
	struct model model;
	uint64_t writes;
	uint64_t late_ns; /* sum over all answers: how long after its time it left */
	uint64_t late_max_ns; /* the worst of them */
} pace = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct settings settings = {.size = 1ull << 30};
static unsigned char *disk; /* the whole of it, mapped; NULL for a folder */

static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct timespec as_timespec(uint64_t ns)
{
	return (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
}

static void answer(const struct job *job)
{
	static _Thread_local char buffer[MOST_READ];
	ssize_t got;

	if (disk) {
		fuse_reply_buf(job->req, (const char *)disk + job->offset, job->bytes);
		return;
	}
	got = pread(job->fd, buffer, job->bytes, (off_t)job->offset);
	if (got < 0)
		fuse_reply_err(job->req, errno);
	else
		fuse_reply_buf(job->req, buffer, (size_t)got);
}

/* Waits for the model to decide something. Called and left with the lock held. */
static struct model_done next_done(void)
{
	struct model_done done;

	while (!model_decide(&pace.model, clock_ns(), &done)) {
		uint64_t due = model_due(&pace.model);
		struct timespec until = as_timespec(due);

		if (due == MODEL_NEVER)
			pthread_cond_wait(&pace.more, &pace.lock);
		else
			pthread_cond_timedwait(&pace.more, &pace.lock, &until);
	}
	return done;
}

static void *pacer(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&pace.lock);
	for (;;) {
		struct model_done done = next_done();
		struct timespec until = as_timespec(done.when_ns);
		uint64_t late;

		pthread_mutex_unlock(&pace.lock);
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
			;
		late = clock_ns() - done.when_ns;
		answer(done.tag);
		free(done.tag);
		pthread_mutex_lock(&pace.lock);
		pace.late_ns += late;
		if (late > pace.late_max_ns)
			pace.late_max_ns = late;
	}
	return NULL;
}

void slowdisk_submit(fuse_req_t req, int fd, uint64_t at, uint64_t offset, size_t bytes)
{
	struct job *job = malloc(sizeof(*job));
	bool added;

	if (!job) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	*job = (struct job){req, fd, offset, bytes};
	pthread_mutex_lock(&pace.lock);
	added = model_add(&pace.model, clock_ns(), at, bytes, job);
	pthread_cond_signal(&pace.more);
	pthread_mutex_unlock(&pace.lock);
	if (!added) {
		free(job);
		fuse_reply_err(req, EAGAIN);
	}
}

void slowdisk_reply_part(fuse_req_t req, const char *text, size_t size, off_t offset)
{
	size_t all = strlen(text);

	if (offset < 0 || (size_t)offset >= all)
		fuse_reply_buf(req, NULL, 0);
	else if (size < all - (size_t)offset)
		fuse_reply_buf(req, text + offset, size);
	else
		fuse_reply_buf(req, text + offset, all - (size_t)offset);
}

void slowdisk_reply_stats(fuse_req_t req, size_t size, off_t offset)
{
	char text[STATS_BYTES];

	pthread_mutex_lock(&pace.lock);
	snprintf(text, sizeof(text),
		 "requests %llu\nbytes %llu\nseeks %llu\nbusy_ns %llu\nwrites %llu\n"
		 "late_ns %llu\nlate_max_ns %llu\n",
		 (unsigned long long)pace.model.counters.requests,
		 (unsigned long long)pace.model.counters.bytes,
		 (unsigned long long)pace.model.counters.seeks,
		 (unsigned long long)pace.model.counters.busy_ns,
		 (unsigned long long)pace.writes, (unsigned long long)pace.late_ns,
		 (unsigned long long)pace.late_max_ns);
	pthread_mutex_unlock(&pace.lock);
	slowdisk_reply_part(req, text, size, offset);
}

void slowdisk_init(void *unused, struct fuse_conn_info *conn)
{
	(void)unused;
	/* The kernel's default of 12 would be the bottleneck instead of the model. Advice
	 * blocks its caller beyond this number, as it would at a real device's queue. */
	conn->max_background = disk ? 256 : 64;
	conn->congestion_threshold = conn->max_background;
	conn->max_readahead = UINT_MAX;
}

/* ---- one file, `disk` ---- */

static bool disk_attr(fuse_ino_t ino, struct stat *st)
{
	*st = (struct stat){.st_ino = ino, .st_nlink = 1, .st_uid = getuid()};
	if (ino == FUSE_ROOT_ID) {
		st->st_mode = S_IFDIR | 0755;
		st->st_nlink = 2;
	} else if (ino == DISK_INO) {
		st->st_mode = S_IFREG | 0600;
		st->st_size = (off_t)settings.size;
	} else if (ino == STATS_INO) {
		st->st_mode = S_IFREG | 0444;
		st->st_size = STATS_BYTES;
	}
	return st->st_mode != 0;
}

static void disk_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param e = {.attr_timeout = FOREVER_S, .entry_timeout = FOREVER_S};

	if (parent == FUSE_ROOT_ID && strcmp(name, "disk") == 0)
		e.ino = DISK_INO;
	else if (parent == FUSE_ROOT_ID && strcmp(name, "stats") == 0)
		e.ino = STATS_INO;
	if (disk_attr(e.ino, &e.attr))
		fuse_reply_entry(req, &e);
	else
		fuse_reply_err(req, ENOENT);
}

static void disk_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct stat st;

	(void)fi;
	if (disk_attr(ino, &st))
		fuse_reply_attr(req, &st, FOREVER_S);
	else
		fuse_reply_err(req, ENOENT);
}

/* losetup, mkfs and others may set times or a size; the size stays, the rest means nothing. */
static void disk_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int what,
			 struct fuse_file_info *fi)
{
	(void)attr;
	(void)what;
	disk_getattr(req, ino, fi);
}

static void disk_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
			 struct fuse_file_info *fi)
{
	static const char *const names[] = {"disk", "stats"};
	char buffer[512];
	size_t used = 0;

	(void)ino;
	(void)fi;
	for (off_t i = offset; i < 2; i++) {
		struct stat st = {.st_ino = (ino_t)(DISK_INO + i), .st_mode = S_IFREG};
		size_t room = sizeof(buffer) - used;

		used += fuse_add_direntry(req, buffer + used, room, names[i], &st, i + 1);
	}
	fuse_reply_buf(req, buffer, used < size ? used : 0);
}

static void disk_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	fi->direct_io = 1;
	fuse_reply_open(req, fi);
}

static void disk_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
		      struct fuse_file_info *fi)
{
	uint64_t at = (uint64_t)offset;

	(void)fi;
	if (ino == STATS_INO)
		slowdisk_reply_stats(req, size, offset);
	else if (at >= settings.size)
		fuse_reply_buf(req, NULL, 0);
	else
		slowdisk_submit(req, -1, at, at,
				size < settings.size - at ? size : settings.size - at);
}

static void disk_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size,
		       off_t offset, struct fuse_file_info *fi)
{
	uint64_t at = (uint64_t)offset;

	(void)fi;
	if (ino != DISK_INO) {
		fuse_reply_err(req, EACCES);
		return;
	}
	if (at > settings.size || size > settings.size - at) {
		fuse_reply_err(req, ENOSPC);
		return;
	}
	memcpy(disk + at, data, size);
	pthread_mutex_lock(&pace.lock);
	pace.writes++;
	pthread_mutex_unlock(&pace.lock);
	fuse_reply_write(req, size);
}

static const struct fuse_lowlevel_ops disk_ops = {
	.init = slowdisk_init,
	.lookup = disk_lookup,
	.getattr = disk_getattr,
	.setattr = disk_setattr,
	.readdir = disk_readdir,
	.open = disk_open,
	.read = disk_read,
	.write = disk_write,
};

/* ---- start ---- */

static bool disk_map(void)
{
	const char *path = settings.backing;
	int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600)
		      : memfd_create("slowdisk", MFD_CLOEXEC);
	void *map;

	if (fd < 0 || ftruncate(fd, (off_t)settings.size) < 0) {
		fprintf(stderr, "slowdisk: backing %s: %s\n", path ? path : "memory",
			strerror(errno));
		return false;
	}
	map = mmap(NULL, settings.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED) {
		perror("slowdisk: mmap");
		return false;
	}
	disk = map;
	return true;
}

static void pace_start(void)
{
	pthread_condattr_t monotonic;
	pthread_t thread;

	/* The default slack of 50 us would be most of an nvme's latency. */
	prctl(PR_SET_TIMERSLACK, 1);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&pace.more, &monotonic);
	model_init(&pace.model, &settings.spec);
	for (int i = 0; i < PACERS; i++) {
		if (pthread_create(&thread, NULL, pacer, NULL) != 0) {
			perror("slowdisk: thread");
			exit(1);
		}
		pthread_detach(thread);
	}
}

/* Runs until unmounted or interrupted; the process's exit status. */
static int serve(struct fuse_session *session, char *mount)
{
	struct fuse_loop_config loop = {.clone_fd = 0, .max_idle_threads = 4};
	int failed = 1;

	if (fuse_set_signal_handlers(session) != 0)
		return 1;
	if (fuse_session_mount(session, mount) == 0) {
		/* Threads do not survive a fork, so the pacers come after it. */
		if (fuse_daemonize(settings.foreground) == 0) {
			pace_start();
			failed = fuse_session_loop_mt(session, &loop) != 0;
		}
		fuse_session_unmount(session);
	} else {
		fprintf(stderr, "slowdisk: cannot mount on %s\n", mount);
	}
	fuse_remove_signal_handlers(session);
	return failed;
}

int main(int argc, char **argv)
{
	char program[] = "slowdisk", o[] = "-o", root[] = "fsname=slowdisk,allow_other";
	char user[] = "fsname=slowdisk";
	char *arguments[] = {program, o, geteuid() == 0 ? root : user, NULL};
	struct fuse_args args = FUSE_ARGS_INIT(3, arguments);
	const struct fuse_lowlevel_ops *ops = &disk_ops;
	struct fuse_session *session;
	char mount[PATH_MAX];
	int status;

	slowdisk_options(argc, argv);
	if (access("/dev/fuse", R_OK | W_OK) < 0) {
		fprintf(stderr, "slowdisk: /dev/fuse: %s\n", strerror(errno));
		return 1;
	}
	if (!realpath(settings.mount, mount)) {
		fprintf(stderr, "slowdisk: %s: %s\n", settings.mount, strerror(errno));
		return 1;
	}
	if (settings.folder)
		ops = slowdisk_folder(settings.folder);
	else if (!disk_map())
		ops = NULL;
	if (!ops)
		return 1;
	session = fuse_session_new(&args, ops, sizeof(*ops), NULL);
	if (!session)
		return 1;
	status = serve(session, mount);
	fuse_session_destroy(session);
	return status;
}
