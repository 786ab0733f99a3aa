/*
 * stdiotrace SEED COUNT: as calltrace, for buffered files. Each line says what a call returned,
 * what was read, where the FILE and where its descriptor stand, and the error flags. A library
 * that swaps a slot of the C library's tables, or wraps fread and fgets, must not show in it.
 */
#include "victim.h"
#include <locale.h>
#include <stdio_ext.h>
#include <wchar.h>

#define SLOTS 5

static uint64_t random_state;
static FILE *files[SLOTS];
static bool wide[SLOTS];

static uint32_t below(uint32_t n)
{
	return prng(&random_state) % n;
}

static uint32_t hash(const void *p, size_t n)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ ((const uint8_t *)p)[i]) * 16777619u;
	return h;
}

static void say(const char *op, int slot, long ret, const void *data, size_t n)
{
	FILE *f = files[slot];
	int err = errno;

	printf("%s f%d = %ld errno %d hash %08x", op, slot, ret, err, n ? hash(data, n) : 0);
	if (f) {
		long at = ftell(f);

		/* After a failure glibc may compute it from what was never set. */
		printf(" fd at %ld, file at %ld, eof %d error %d",
		       (long)syscall(SYS_lseek, fileno(f), 0L, SEEK_CUR), at < 0 ? -1 : at,
		       feof(f), ferror(f));
	}
	putchar('\n');
}

static void text_file(const char *name, int lines)
{
	FILE *f = fopen(name, "w");

	CHECK(f);
	for (int i = 0; i < lines; i++)
		fprintf(f, "%d line %u of text \xc3\xa9\xe2\x82\xac %x\n", i,
			prng(&random_state), prng(&random_state));
	CHECK(fclose(f) == 0);
}

static void do_open(int slot)
{
	static const char *const modes[] = {"r", "r", "r+", "re", "a+", "rm", "r,ccs=UTF-8"};
	static const char *const names[] = {"text0", "text1", "text2", "missing", "."};
	const char *name = names[below(LEN(names))];
	const char *mode = modes[below(LEN(modes))];

	if (files[slot] && below(4) == 0) {
		files[slot] = freopen(name, "r", files[slot]);
		wide[slot] = false;
	} else {
		if (files[slot])
			fclose(files[slot]);
		files[slot] = below(4) ? fopen(name, mode) : fopen64(name, mode);
		wide[slot] = files[slot] && fwide(files[slot], 0) > 0;
	}
	say("open", slot, files[slot] != NULL, NULL, 0);
	if (files[slot] && below(4) == 0)
		setvbuf(files[slot], NULL, below(2) ? _IONBF : _IOFBF, below(2) ? 100 : 40000);
	if (files[slot] && below(6) == 0)
		__fsetlocking(files[slot], FSETLOCKING_BYCALLER);
}

static void read_blocks(int slot)
{
	static const size_t lengths[] = {0, 1, 10, 1000, 4096, 4097, 20000};
	static char buf[20000];
	size_t n = lengths[below(LEN(lengths))];
	size_t unit = 1 + below(3);
	size_t got = below(2) ? fread(buf, unit, n / unit, files[slot])
			      : (fread_unlocked)(buf, unit, n / unit, files[slot]);

	say("fread", slot, (long)got, buf, got * unit);
}

static void read_lines(int slot)
{
	char line[300] = "";
	char *whole = NULL;
	size_t room = 0;
	ssize_t n;

	if (below(2)) {
		char *ret = fgets(line, (int)below(300) + 1, files[slot]);

		say("fgets", slot, ret != NULL, line, strlen(line));
		return;
	}
	n = below(2) ? getline(&whole, &room, files[slot])
		     : getdelim(&whole, &room, '7', files[slot]);
	say("getline", slot, n, whole, n > 0 ? (size_t)n : 0);
	free(whole);
}

static void read_characters(int slot)
{
	int c[4] = {getc(files[slot]), fgetc(files[slot]), getc_unlocked(files[slot]), 0};

	if (below(2))
		c[3] = ungetc(below(3) ? c[2] : 'x', files[slot]);
	say("getc", slot, c[0], c, sizeof(c));
}

static void scan(int slot)
{
	char word[40] = "";
	int number = 0;
	int ret = fscanf(files[slot], "%d %39s", &number, word);

	say("fscanf", slot, ret * 1000L + number, word, strlen(word));
}

static void seek(int slot)
{
	static const int whence[] = {SEEK_SET, SEEK_SET, SEEK_CUR, SEEK_END, 99};
	long by = below(4) ? (long)below(200000) : -(long)below(3000);
	fpos_t pos;
	long ret;

	switch (below(4)) {
	case 0:
		rewind(files[slot]);
		ret = 0;
		break;
	case 1:
		ret = fgetpos(files[slot], &pos);
		(void)!getc(files[slot]);
		ret += fsetpos(files[slot], &pos);
		break;
	case 2:
		ret = fseeko(files[slot], by, whence[below(LEN(whence))]);
		break;
	default:
		ret = fseek(files[slot], by, whence[below(LEN(whence))]);
		break;
	}
	say("seek", slot, ret, NULL, 0);
}

static void change(int slot)
{
	int ret;

	switch (below(4)) {
	case 0:
		ret = fputs("changed", files[slot]);
		fflush(files[slot]);
		break;
	case 1:
		ret = fflush(files[slot]);
		break;
	case 2:
		/* The program moves the descriptor under the FILE. */
		ret = (int)lseek(fileno(files[slot]), (off_t)below(1000), SEEK_CUR);
		break;
	default:
		clearerr(files[slot]);
		ret = 0;
		break;
	}
	say("change", slot, ret, NULL, 0);
}

static void read_wide(int slot)
{
	wchar_t line[100] = L"";
	wint_t c = fgetwc(files[slot]);
	int err = errno;
	const wchar_t *ret = fgetws(line, 100, files[slot]);

	if (c != WEOF && below(2))
		ungetwc(c, files[slot]);
	errno = err;
	say("wide", slot, (long)c * (ret ? 1 : -1), line, wcslen(line) * sizeof(wchar_t));
	if (below(4) == 0)
		say("wide seek", slot, fseek(files[slot], 0, SEEK_SET), NULL, 0);
}

static void run(unsigned long count)
{
	static void (*const ops[])(int) = {
		do_open,	 read_blocks, read_blocks, read_lines,	    read_lines,
		read_characters, scan,	      seek,	   read_characters, change};

	for (unsigned long i = 0; i < count; i++) {
		int slot = (int)below(SLOTS);

		errno = (int)(1000 + i % 7);
		if (!files[slot])
			do_open(slot);
		else if (i % 200 == 0)
			make_cold(fileno(files[slot]));
		else if (wide[slot] && below(6))
			read_wide(slot);
		else if (wide[slot])
			do_open(slot);
		else
			ops[below(LEN(ops))](slot);
	}
}

int main(int argc, char **argv)
{
	unsigned long seed = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;

	setlocale(LC_ALL, "C.UTF-8");
	random_state = seed;
	text_file("text0", 3000);
	text_file("text1", 300);
	text_file("text2", 3);
	run(count);
	for (int i = 0; i < SLOTS; i++)
		if (files[i])
			printf("close f%d = %d\n", i, fclose(files[i]));
	return 0;
}
