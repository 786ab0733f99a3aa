/* elf.c: what an executable file is, and that no file, however damaged, harms the command. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command/command.h"

#define IMAGE_MAX (1 << 20)

static char image[IMAGE_MAX];

/* Writes a file into the test's own folder and has it judged. */
static enum cmd_kind kind_of_bytes(const char *bytes, size_t length)
{
	char path[] = "/tmp/preread-elf-XXXXXX", judged[64];
	int fd = mkstemp(path);
	enum cmd_kind kind;

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, bytes, length), (ssize_t)length);
	close(fd);
	kind = cmd_kind_of(path, judged, sizeof(judged));
	unlink(path);
	return kind;
}

static size_t load_true(void)
{
	FILE *f = fopen("/bin/true", "rb");
	size_t length;

	cr_assert_not_null(f);
	length = fread(image, 1, sizeof(image), f);
	fclose(f);
	cr_assert(length > 4096 && length < sizeof(image));
	return length;
}

Test(command_elf, kinds)
{
	size_t length = load_true();

	cr_expect_eq(kind_of_bytes(image, length), CMD_KIND_HELPED);
	cr_expect_eq(kind_of_bytes("", 0), CMD_KIND_HELPED);
	cr_expect_eq(kind_of_bytes("#!", 2), CMD_KIND_HELPED);
	cr_expect_eq(kind_of_bytes("#!   \n", 6), CMD_KIND_HELPED);
	cr_expect_eq(kind_of_bytes("#! /bin/sh -e", 13), CMD_KIND_HELPED);
	image[4] ^= 3; /* EI_CLASS: 32-bit for 64-bit */
	cr_expect_eq(kind_of_bytes(image, length), CMD_KIND_FOREIGN);
	image[4] ^= 3;
	image[18] ^= 1; /* e_machine */
	cr_expect_eq(kind_of_bytes(image, length), CMD_KIND_FOREIGN);
	image[18] ^= 1;
	cr_expect_eq(kind_of_bytes(image, 20), CMD_KIND_FOREIGN, "cut in the header");
	cr_expect_eq(kind_of_bytes(image, 64), CMD_KIND_STATIC, "no program headers");
}

Test(command_elf, missing_file)
{
	char judged[64];

	cr_expect_eq(cmd_kind_of("/none/such", judged, sizeof(judged)), CMD_KIND_HELPED);
	cr_expect_str_eq(judged, "/none/such");
}

Test(command_elf, script_that_names_itself, .timeout = 10)
{
	char path[] = "/tmp/preread-elf-XXXXXX", judged[64];
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	dprintf(fd, "#!%s\n", path);
	close(fd);
	cr_expect_eq(cmd_kind_of(path, judged, sizeof(judged)), CMD_KIND_HELPED);
	cr_expect_str_eq(judged, path);
	unlink(path);
}

/* Headers and dynamic section are in the first pages: most damage hits something read. */
Test(command_elf, survives_damage)
{
	size_t length = load_true();
	int i, flip;

	srand(3);
	for (i = 0; i < 3000; i++) {
		size_t cut = rand() % 4 ? length : (size_t)rand() % length;
		char saved[8];
		size_t at[8];

		for (flip = 0; flip < 8; flip++) {
			at[flip] = (size_t)rand() % (rand() % 2 ? 1024 : length);
			saved[flip] = image[at[flip]];
			image[at[flip]] = (char)(rand() % 3 ? rand() : 0xff);
		}
		kind_of_bytes(image, cut);
		for (flip = 7; flip >= 0; flip--)
			image[at[flip]] = saved[flip];
	}
}
