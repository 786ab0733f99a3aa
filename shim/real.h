/*
 * real.h - the next functions: what libc, or another library behind us, does.
 *
 * Every wrapper ends in one of these. They are resolved all at once, at the latest when the
 * first wrapper is called, never one by one later: dlsym() takes the loader's lock, which a
 * thread may have held when it was forked away from. Names that may be absent are looked up
 * only once and may stay NULL; a program that calls such a function got it from somewhere,
 * so its wrapper is then not reached.
 */
#ifndef PRS_REAL_H
#define PRS_REAL_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/uio.h>

struct file_handle;

struct prs_real {
	ssize_t (*read)(int, void *, size_t);
	ssize_t (*read_chk)(int, void *, size_t, size_t);
	ssize_t (*pread)(int, void *, size_t, off_t);
	ssize_t (*pread64)(int, void *, size_t, off64_t);
	ssize_t (*pread_chk)(int, void *, size_t, off_t, size_t);
	ssize_t (*pread64_chk)(int, void *, size_t, off64_t, size_t);
	ssize_t (*readv)(int, const struct iovec *, int);
	ssize_t (*preadv)(int, const struct iovec *, int, off_t);
	ssize_t (*preadv64)(int, const struct iovec *, int, off64_t);
	ssize_t (*preadv2)(int, const struct iovec *, int, off_t, int);
	ssize_t (*preadv64v2)(int, const struct iovec *, int, off64_t, int);
	off_t (*lseek)(int, off_t, int);
	off64_t (*lseek64)(int, off64_t, int);
	int (*open)(const char *, int, ...);
	int (*open64)(const char *, int, ...);
	int (*open_2)(const char *, int);
	int (*open64_2)(const char *, int);
	int (*openat)(int, const char *, int, ...);
	int (*openat64)(int, const char *, int, ...);
	int (*openat_2)(int, const char *, int);
	int (*openat64_2)(int, const char *, int);
	int (*creat)(const char *, mode_t);
	int (*creat64)(const char *, mode_t);
	int (*open_by_handle_at)(int, struct file_handle *, int);
	int (*fcntl)(int, int, ...);
	int (*fcntl64)(int, int, ...);
	int (*close)(int);
	int (*close_range)(unsigned, unsigned, int);
	void (*closefrom)(int);
	int (*dup)(int);
	int (*dup2)(int, int);
	int (*dup3)(int, int, int);
	FILE *(*fopen)(const char *, const char *);
	FILE *(*fopen64)(const char *, const char *);
	FILE *(*freopen)(const char *, const char *, FILE *);
	FILE *(*freopen64)(const char *, const char *, FILE *);
	int (*fclose)(FILE *);
	int (*fcloseall)(void);
	FILE *(*tmpfile)(void);
	FILE *(*tmpfile64)(void);
	int (*mkostemps)(char *, int, int);
	int (*mkostemps64)(char *, int, int);
	int (*execve)(const char *, char *const[], char *const[]);
	int (*execvpe)(const char *, char *const[], char *const[]);
	int (*fexecve)(int, char *const[], char *const[]);
	int (*execveat)(int, const char *, char *const[], char *const[], int);
	void (*exit_now)(int);
	void (*quick_exit)(int);
	int (*prctl)(int, ...);
	long (*syscall)(long, ...);
};

extern struct prs_real prs_real_functions;
extern bool prs_real_known;

void prs_real_resolve(void);

static inline const struct prs_real *prs_real(void)
{
	if (__builtin_expect(!prs_real_known, 0))
		prs_real_resolve();
	return &prs_real_functions;
}

#endif
