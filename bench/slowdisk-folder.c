/*
 * The folder of slowdisk: an existing directory, read-only, its files' contents paced.
 *
 * Every name looked up becomes a node that holds the file by an O_PATH descriptor and lives
 * until the unmount: the trees of tests are small, and a node's address can then serve as its
 * number. Each file is given a place on the modelled disk when it is first seen, one after the
 * other, so that an arm has distances to travel.
 */
#define _GNU_SOURCE	 1
#define FUSE_USE_VERSION 32
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/slowdisk.h"

#define BUCKETS	   4096u
#define STATS_NAME ".slowdisk"
#define FOREVER_S  86400.0
#define ALIGNMENT  (1u << 20)

struct node {
	struct node *next; /* in its bucket; constant once the node is in */
	dev_t dev;
	ino_t ino;
	uint64_t base; /* where it begins on the modelled disk, bytes */
	int fd; /* O_PATH, or -1: the counters */
};

static struct {
	pthread_mutex_t lock; /* over bucket and end */
	struct node *bucket[BUCKETS];
	uint64_t end; /* of the last file on the modelled disk */
	struct node root, stats;
} tree = {.lock = PTHREAD_MUTEX_INITIALIZER, .stats.fd = -1};

static struct node *node_of(fuse_ino_t ino)
{
	return ino == FUSE_ROOT_ID ? &tree.root : (struct node *)(uintptr_t)ino;
}

static struct node *node_add(int fd, const struct stat *st)
{
	struct node **bucket = &tree.bucket[st->st_ino % BUCKETS];
	struct node *node = malloc(sizeof(*node));

	if (!node)
		return NULL;
	*node = (struct node){*bucket, st->st_dev, st->st_ino, tree.end, fd};
	tree.end += ((uint64_t)st->st_size / ALIGNMENT + 1) * ALIGNMENT;
	*bucket = node;
	return node;
}

/* The node of the file @fd, which it takes over; NULL if memory is out. */
static struct node *node_get(int fd, const struct stat *st)
{
	struct node *node;

	pthread_mutex_lock(&tree.lock);
	node = tree.bucket[st->st_ino % BUCKETS];
	while (node && (node->ino != st->st_ino || node->dev != st->st_dev))
		node = node->next;
	if (node)
		close(fd);
	else
		node = node_add(fd, st);
	pthread_mutex_unlock(&tree.lock);
	return node;
}

/* A new descriptor of what @node holds; an O_PATH one cannot be read from. */
static int node_open(const struct node *node, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", node->fd);
	return open(path, flags | O_CLOEXEC);
}

static bool node_stat(const struct node *node, struct stat *st)
{
	if (node->fd >= 0)
		return fstat(node->fd, st) == 0;
	*st = (struct stat){.st_mode = S_IFREG | 0444, .st_nlink = 1, .st_size = 512};
	return true;
}

static void folder_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param e = {.attr_timeout = FOREVER_S, .entry_timeout = FOREVER_S};
	struct node *node = &tree.stats;

	if (parent != FUSE_ROOT_ID || strcmp(name, STATS_NAME) != 0) {
		int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
		int fd = openat(node_of(parent)->fd, name, flags);

		if (fd < 0 || fstat(fd, &e.attr) < 0) {
			fuse_reply_err(req, errno);
			if (fd >= 0)
				close(fd);
			return;
		}
		node = node_get(fd, &e.attr);
	}
	if (!node || !node_stat(node, &e.attr)) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	e.ino = (fuse_ino_t)(uintptr_t)node;
	fuse_reply_entry(req, &e);
}

static void folder_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct stat st;

	(void)fi;
	if (node_stat(node_of(ino), &st))
		fuse_reply_attr(req, &st, FOREVER_S);
	else
		fuse_reply_err(req, errno);
}

static void folder_readlink(fuse_req_t req, fuse_ino_t ino)
{
	char target[PATH_MAX + 1];
	ssize_t got = readlinkat(node_of(ino)->fd, "", target, PATH_MAX);

	if (got < 0) {
		fuse_reply_err(req, errno);
		return;
	}
	target[got] = '\0';
	fuse_reply_readlink(req, target);
}

static void folder_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct node *node = node_of(ino);
	int fd = -1;

	if ((fi->flags & O_ACCMODE) != O_RDONLY) {
		fuse_reply_err(req, EROFS);
		return;
	}
	if (node->fd >= 0) {
		fd = node_open(node, O_RDONLY);
		if (fd < 0) {
			fuse_reply_err(req, errno);
			return;
		}
	}
	fi->fh = (uint64_t)fd;
	fi->direct_io = node->fd < 0;
	fi->keep_cache = !settings.drop;
	fuse_reply_open(req, fi);
}

static void folder_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
			struct fuse_file_info *fi)
{
	struct node *node = node_of(ino);
	uint64_t at = (uint64_t)offset;
	struct stat st;

	if (node->fd < 0) {
		slowdisk_reply_stats(req, size, offset);
		return;
	}
	/* The kernel asks for whole pages; the disk is paid for what is there. */
	if (fstat((int)fi->fh, &st) < 0)
		fuse_reply_err(req, errno);
	else if (offset >= st.st_size)
		fuse_reply_buf(req, NULL, 0);
	else if (size < (uint64_t)st.st_size - at)
		slowdisk_submit(req, (int)fi->fh, node->base + at, at, size);
	else
		slowdisk_submit(req, (int)fi->fh, node->base + at, at,
				(uint64_t)st.st_size - at);
}

static void folder_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	if ((int)fi->fh >= 0)
		close((int)fi->fh);
	fuse_reply_err(req, 0);
}

static void folder_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	int fd = node_open(node_of(ino), O_RDONLY | O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir) {
		fuse_reply_err(req, errno);
		if (fd >= 0)
			close(fd);
		return;
	}
	fi->fh = (uint64_t)(uintptr_t)dir;
	fuse_reply_open(req, fi);
}

static void folder_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
			   struct fuse_file_info *fi)
{
	DIR *dir = (DIR *)(uintptr_t)fi->fh;
	char *buffer = malloc(size);
	struct dirent *entry;
	size_t used = 0;

	(void)ino;
	if (!buffer) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	seekdir(dir, offset);
	while ((entry = readdir(dir))) {
		struct stat st = {.st_ino = entry->d_ino,
				  .st_mode = (mode_t)entry->d_type << 12};
		size_t need = fuse_add_direntry(req, buffer + used, size - used, entry->d_name,
						&st, entry->d_off);

		if (need > size - used)
			break;
		used += need;
	}
	fuse_reply_buf(req, buffer, used);
	free(buffer);
}

static void folder_releasedir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	closedir((DIR *)(uintptr_t)fi->fh);
	fuse_reply_err(req, 0);
}

static const struct fuse_lowlevel_ops folder_ops = {
	.init = slowdisk_init,
	.lookup = folder_lookup,
	.getattr = folder_getattr,
	.readlink = folder_readlink,
	.open = folder_open,
	.read = folder_read,
	.release = folder_release,
	.opendir = folder_opendir,
	.readdir = folder_readdir,
	.releasedir = folder_releasedir,
};

const struct fuse_lowlevel_ops *slowdisk_folder(const char *path)
{
	struct rlimit files;

	tree.root.fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (tree.root.fd < 0) {
		fprintf(stderr, "slowdisk: %s: %s\n", path, strerror(errno));
		return NULL;
	}
	/* A descriptor a file: 1024, the usual soft limit, is soon used up. */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	return &folder_ops;
}
