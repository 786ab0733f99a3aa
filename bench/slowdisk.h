/*
 * What the three files of slowdisk share: slowdisk.c paces and serves one file,
 * slowdisk-folder.c serves a directory, slowdisk-options.c reads the command line.
 * Include fuse_lowlevel.h first.
 */
#ifndef PREREAD_BENCH_SLOWDISK_H
#define PREREAD_BENCH_SLOWDISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bench/model.h"

/* Written by slowdisk_options(), constant afterwards. Strings are the command line's. */
struct settings {
	struct model_spec spec;
	uint64_t size; /* --disk: bytes */
	const char *backing; /* --disk: where the bytes lie; NULL: in memory */
	const char *folder; /* --folder: what is served; NULL: --disk */
	const char *mount;
	bool foreground;
	bool drop; /* --folder: an open drops the file's cached pages, as FUSE does unasked */
};

extern struct settings settings;

/* Fills `settings` or exits: 0 after --help, 2 after a fault that it has named. */
void slowdisk_options(int argc, char **argv);

/* Has @req answered with @bytes at @offset of @fd (of the disk, if there is one) when the
 * model says so. @at is the place on the modelled disk. */
void slowdisk_submit(fuse_req_t req, int fd, uint64_t at, uint64_t offset, size_t bytes);

/* Answers at once, with the counters or with the part of @text that was asked for. */
void slowdisk_reply_stats(fuse_req_t req, size_t size, off_t offset);
void slowdisk_reply_part(fuse_req_t req, const char *text, size_t size, off_t offset);

void slowdisk_init(void *unused, struct fuse_conn_info *conn);

/* The operations for the directory @path; NULL after a message. */
const struct fuse_lowlevel_ops *slowdisk_folder(const char *path);

#endif
