/*
 * What the example readers share: a file, a buffer and a running checksum, so that two runs of
 * the same reader can be compared. It hides nothing of how they read: each calls pread, or
 * read and lseek, with its own offsets.
 */
#ifndef PREREAD_EXAMPLES_READER_H
#define PREREAD_EXAMPLES_READER_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct reader {
	const char *path;
	int fd;
	off_t size; /* of the file */
	char *buffer; /* of the size of one read */
	uint64_t bytes; /* read so far */
	uint64_t sum; /* depends on their order too */
	const char *fields; /* getopt's list of options that take a number */
	const char *help;
};

static inline void reader_usage(const struct reader *r, const char *wrong)
{
	if (wrong)
		fprintf(stderr, "not a number of bytes such as 4096, 64K or 2M: %s\n", wrong);
	fputs(r->help, stderr);
	exit(2);
}

/* A number above 0; K, M and G are powers of 1024. */
static inline long reader_number(const struct reader *r, const char *text)
{
	static const char suffixes[] = "KMG";
	char *end;
	long n = strtol(text, &end, 10);
	const char *suffix = *end ? strchr(suffixes, *end) : NULL;

	if (end == text || n <= 0 || n >= 1L << 31 || (*end && (!suffix || end[1])))
		reader_usage(r, text);
	return suffix ? n << 10 * (suffix - suffixes + 1) : n;
}

/* Options `-x NUMBER` into numbers[], in the order of r->fields, then the file. */
static inline void reader_open(struct reader *r, int argc, char **argv, long *numbers)
{
	char letters[32];
	struct stat st;
	size_t n = 0;
	int option;

	for (const char *f = r->fields; *f; f++) {
		letters[n++] = *f;
		letters[n++] = ':';
	}
	letters[n] = '\0';
	while ((option = getopt(argc, argv, letters)) != -1) {
		if (option == '?')
			reader_usage(r, NULL);
		numbers[strchr(r->fields, option) - r->fields] = reader_number(r, optarg);
	}
	if (optind != argc - 1)
		reader_usage(r, NULL);
	r->path = argv[optind];
	r->fd = open(r->path, O_RDONLY);
	r->buffer = malloc((size_t)numbers[0]);
	if (r->fd < 0 || !r->buffer || fstat(r->fd, &st) < 0) {
		fprintf(stderr, "%s: %s\n", r->path, strerror(errno));
		exit(1);
	}
	r->size = st.st_size;
}

/* Takes the answer of a read into the account; false at the end of the file. */
static inline int reader_add(struct reader *r, ssize_t got)
{
	size_t i = 0, n = (size_t)got;
	uint64_t word;

	if (got < 0) {
		fprintf(stderr, "%s: %s\n", r->path, strerror(errno));
		exit(1);
	}
	for (; i < n; i += sizeof(word)) {
		word = 0;
		memcpy(&word, r->buffer + i, n - i < sizeof(word) ? n - i : sizeof(word));
		r->sum = ((r->sum << 7 | r->sum >> 57) ^ word) * 0x9E3779B97F4A7C15u;
	}
	r->bytes += n;
	return n > 0;
}

static inline int reader_end(const struct reader *r)
{
	printf("%llu bytes, checksum %016llx\n", (unsigned long long)r->bytes,
	       (unsigned long long)r->sum);
	return 0;
}

#endif
