/* glob.c: lists of globs, and agreement with the C library's fnmatch. */
#include <criterion/criterion.h>

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "common/config.h"

Test(common_glob, lists)
{
	static const struct {
		const char *globs, *path;
		bool match;
	} rows[] = {
		{NULL, "/a", false},
		{"", "/a", false},
		{":", "", false},
		{"/a", "/a", true},
		{"/a", "/ab", false},
		{"/ab", "/a", false},
		{"a", "/a", false},
		{"*", "", true},
		{"*", "/a/b/c", true},
		{"/data/*", "/data/x/y", true},
		{"/data/*", "/data", false},
		{"*.log", "/var/log/x.log", true},
		{"*.log", "/var/log/x.log.1", false},
		{"*a*b*c", "/xaxbxbxc", true},
		{"*a*b*c", "/xaxbxbxd", false},
		{"/?", "/x", true},
		{"/?", "/xy", false},
		{"?????", "/a/b/", true},
		{"/a:/b", "/b", true},
		{"/a:/b", "/a:/b", false},
		{"/a\\:/b", "/a:/b", true},
		{"/a\\:/b:/c", "/c", true},
		{"::/b:", "/b", true},
		{"/[ab]", "/b", true},
		{"/[ab]", "/c", false},
		{"/[a-c]x", "/bx", true},
		{"/[!a-c]", "/b", false},
		{"/[^a-c]", "/d", true},
		{"/[]]", "/]", true},
		{"/[!]]", "/]", false},
		{"/[a-]", "/-", true},
		{"/[[:digit:]]:/z", "/7", true},
		{"/[[:digit:]]:/z", "/z", true},
		{"/[[:alpha:][:digit:]]", "/7", true},
		{"/[![:alpha:]]", "/x", false},
		{"/[x:/y]", "/[x", true},
		{"/[x:/y]", "/y]", true},
		{"/[x", "/[x", true},
		{"/[", "/[", true},
		{"/x\\", "/x\\", true},
		{"/\\*", "/*", true},
		{"/\\*", "/x", false},
		{"/\xff*", "/\xff\xfe", true},
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_eq(pr_globs_match(rows[i].globs, rows[i].path), rows[i].match,
			     "'%s' on '%s'", rows[i].globs ? rows[i].globs : "(null)",
			     rows[i].path);
}

/* A glob that would take a matcher with recursion for each star longer than the sun shines. */
Test(common_glob, many_stars, .timeout = 5)
{
	char path[4001];

	memset(path, 'a', 4000);
	path[4000] = '\0';
	cr_expect_not(pr_globs_match("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", path));
}

static void random_text(char *out, size_t length, const char *letters)
{
	size_t i, count = strlen(letters);

	for (i = 0; i < length; i++)
		out[i] = letters[(size_t)rand() % count];
	out[length] = '\0';
}

/*
 * What POSIX leaves open is left out: a backslash at the end, ranges from high to low, and a
 * bracket that another one or a dash in the wrong place makes odd.
 */
Test(common_glob, agrees_with_fnmatch)
{
	static const char *const pieces[] = {"a",     "b",   "/",    "*",
					     "**",    "?",   "[ab]", "[!ab]",
					     "[a-c]", "\\*", "\\?",  "[[:alpha:]/]"};
	char glob[128], path[16];
	int i, j, matched = 0;

	srand(1);
	for (i = 0; i < 200000; i++) {
		glob[0] = '\0';
		for (j = rand() % 7; j >= 0; j--)
			strcat(glob,
			       pieces[(size_t)rand() % (sizeof(pieces) / sizeof(*pieces))]);
		random_text(path, (size_t)rand() % 8, "abcd/*?");
		bool expected = fnmatch(glob, path, 0) == 0;

		matched += expected;
		cr_assert_eq(pr_globs_match(glob, path), expected, "'%s' on '%s': %d expected",
			     glob, path, expected);
	}
	cr_expect_gt(matched, 1000, "the generator makes matches");
}

/* Whatever the globs, nothing outside of the strings is read: for the sanitizers. */
Test(common_glob, survives_anything)
{
	char glob[24], path[8];
	int i;

	srand(2);
	for (i = 0; i < 300000; i++) {
		char *g, *p;

		random_text(glob, (size_t)rand() % 12, "a[]:!^-\\*?b");
		random_text(path, (size_t)rand() % 5, "a[]:-\\b");
		g = strdup(glob);
		p = strdup(path);
		pr_globs_match(g, p);
		free(g);
		free(p);
	}
}
