/*
 * FILEs that are no plain file: popen, fdopen on a pipe, fopencookie, fmemopen, memory
 * streams, standard input. They share the C library's tables of functions, or have their own:
 * a swapped slot must serve the first kind and leave the second alone.
 */
#include "victim.h"
#include <sys/wait.h>

static ssize_t cookie_read(void *cookie, char *buf, size_t n)
{
	uint64_t *at = cookie;

	if (*at >= 100000)
		return 0;
	if (n > 777)
		n = 777;
	pattern_fill(buf, n, *at, 6);
	*at += n;
	return (ssize_t)n;
}

static int cookie_seek(void *cookie, off64_t *to, int whence)
{
	uint64_t *at = cookie;
	off64_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (off64_t)*at : 100000;

	*to += base;
	*at = (uint64_t)*to;
	return 0;
}

static void cookies(void)
{
	cookie_io_functions_t io = {.read = cookie_read, .seek = cookie_seek};
	uint64_t at = 0;
	uint8_t buf[3000];
	FILE *f = fopencookie(&at, "r", io);

	CHECK(f);
	for (uint64_t i = 0; i < 30; i++) {
		CHECK(fread(buf, 1, sizeof(buf), f) == sizeof(buf));
		CHECK(pattern_ok(buf, sizeof(buf), i * sizeof(buf), 6));
	}
	CHECK(fseek(f, 5000, SEEK_SET) == 0);
	CHECK(getc(f) == pattern_byte(5000, 6));
	CHECK(fclose(f) == 0);
}

static void memory(void)
{
	char text[] = "one two\nthree\n";
	char word[16] = "";
	char *grown = NULL;
	size_t n = 0;
	FILE *f = fmemopen(text, sizeof(text) - 1, "r");

	CHECK(f && fscanf(f, "%15s", word) == 1 && !strcmp(word, "one"));
	CHECK(fseek(f, 8, SEEK_SET) == 0 && fgets(word, 16, f) && !strcmp(word, "three\n"));
	CHECK(getc(f) == EOF && feof(f) && fclose(f) == 0);
	f = open_memstream(&grown, &n);
	CHECK(f && fprintf(f, "%s", "grown") == 5 && fclose(f) == 0 && n == 5);
	free(grown);
}

static void piped(void)
{
	char line[64];
	int lines = 0;
	FILE *f = popen("i=0; while [ $i -lt 5000 ]; do echo line $i; i=$((i + 1)); done", "r");

	CHECK(f);
	while (fgets(line, sizeof(line), f)) {
		char wanted[64];

		snprintf(wanted, sizeof(wanted), "line %d\n", lines++);
		CHECK(!strcmp(line, wanted));
	}
	CHECK(lines == 5000 && pclose(f) == 0);
	f = popen("cat >copied; exit 7", "w");
	CHECK(f && fputs("through a pipe", f) >= 0);
	CHECK(pclose(f) == 7 << 8);
	f = fopen("copied", "r");
	CHECK(f && fgets(line, sizeof(line), f) && !strcmp(line, "through a pipe"));
	CHECK(fclose(f) == 0);
}

static void from_descriptor(void)
{
	uint8_t buf[1000];
	int ends[2];
	int fd = open("data", O_RDONLY);
	FILE *f = fdopen(fd, "r");

	CHECK(f && lseek(fd, 3000, SEEK_SET) == 3000);
	make_cold(fd);
	CHECK(fread(buf, 1, 1000, f) == 1000 && pattern_ok(buf, 1000, 3000, 1));
	/* Reads of the descriptor go on where the FILE's buffer ends. */
	CHECK(lseek(fd, 0, SEEK_CUR) == 3000 + 4096);
	CHECK(read(fd, buf, 1000) == 1000 && pattern_ok(buf, 1000, 7096, 1));
	CHECK(fclose(f) == 0 && read(fd, buf, 1) == -1 && errno == EBADF);
	CHECK(pipe2(ends, O_NONBLOCK) == 0);
	f = fdopen(ends[0], "r");
	CHECK(f && getc(f) == EOF && ferror(f) && errno == EAGAIN);
	clearerr(f);
	CHECK(write(ends[1], "ab", 2) == 2 && getc(f) == 'a' && getc(f) == 'b');
	close(ends[1]);
	CHECK(getc(f) == EOF && feof(f) && fclose(f) == 0);
}

/* The child goes on reading where its parent's buffer says, on the same description. */
static void standard_input(void)
{
	char line[64];
	int status;
	pid_t pid;

	CHECK(freopen("lines", "r", stdin) == stdin);
	CHECK(fgets(line, sizeof(line), stdin) && !strcmp(line, "number 0\n"));
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		_exit(!(fgets(line, sizeof(line), stdin) && !strcmp(line, "number 1\n")));
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	CHECK(fgets(line, sizeof(line), stdin) && !strcmp(line, "number 1\n"));
	CHECK(fflush(stdin) == 0 && lseek(0, 0, SEEK_CUR) == 18);
	CHECK(system("read -r line && [ \"$line\" = 'number 2' ]") == 0);
	CHECK(lseek(0, 0, SEEK_CUR) == 27);
}

int main(void)
{
	FILE *f;

	pattern_file("data", 256 * KIB, 1);
	f = fopen("lines", "w");
	CHECK(f);
	for (int i = 0; i < 5000; i++)
		fprintf(f, "number %d\n", i);
	CHECK(fclose(f) == 0);
	cookies();
	memory();
	piped();
	from_descriptor();
	standard_input();
	puts("every kind of FILE");
	return 0;
}
