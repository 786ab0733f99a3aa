/* filename.c: the names of log and statistics files. */
#include <criterion/criterion.h>

#include <string.h>
#include "common/filename.h"

static char ranked[] = "RANKED=no", rank[] = "RANK=7", empty[] = "EMPTY=", root[] = "ROOT=/r",
	    odd[] = "=odd";
static char *const environment[] = {ranked, rank, empty, root, odd, NULL};
static const struct pr_filename_facts facts = {4711, "node1", "/usr/bin/tac", "/home/me",
					       environment};

Test(common_filename, expand)
{
	static const struct {
		const char *pattern;
		enum pr_filename_kind kind;
		const char *path;
	} rows[] = {
		{"-", PR_FILENAME_STDERR, ""},
		{"/dev/stderr", PR_FILENAME_STDERR, ""},
		{"/var/log/x", PR_FILENAME_PATH, "/var/log/x"},
		{"x.log", PR_FILENAME_PATH, "/home/me/x.log"},
		{"./-", PR_FILENAME_PATH, "/home/me/./-"},
		{"/l/%p", PR_FILENAME_PATH, "/l/4711"},
		{"%e.%h.%p", PR_FILENAME_PATH, "/home/me/tac.node1.4711"},
		{"/l/%{RANK}", PR_FILENAME_PATH, "/l/7"},
		{"/l/%{RAN}x", PR_FILENAME_PATH, "/l/x"},
		{"/l/%{NONE}%{EMPTY}x", PR_FILENAME_PATH, "/l/x"},
		{"%{ROOT}/x", PR_FILENAME_PATH, "/r/x"},
		{"/100%%", PR_FILENAME_PATH, "/100%"},
		{"/%%p", PR_FILENAME_PATH, "/%p"},
		{"%{EMPTY}", PR_FILENAME_BAD, ""},
		{"", PR_FILENAME_BAD, ""},
		{"/%", PR_FILENAME_BAD, ""},
		{"/%P", PR_FILENAME_BAD, ""},
		{"/%{RANK", PR_FILENAME_BAD, ""},
		{"/%{}", PR_FILENAME_BAD, ""},
	};
	char path[64];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum pr_filename_kind kind;

		memset(path, 'X', sizeof(path));
		kind = pr_filename_expand(rows[i].pattern, &facts, path, sizeof(path));
		cr_expect_eq(kind, rows[i].kind, "'%s': kind %d", rows[i].pattern, kind);
		cr_expect_str_eq(path, rows[i].path, "'%s': '%s'", rows[i].pattern, path);
	}
}

Test(common_filename, root_is_no_double_slash)
{
	struct pr_filename_facts at_root = facts;
	char path[64];

	at_root.cwd = "/";
	at_root.environment = NULL;
	pr_filename_expand("x%{RANK}", &at_root, path, sizeof(path));
	cr_expect_str_eq(path, "/x");
}

Test(common_filename, a_name_that_does_not_fit_is_bad)
{
	static const char *const patterns[] = {"x.log", "/home/me/x.log", "%{RANK}.log"};
	char path[64];
	size_t i, size;

	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		char whole[64];
		size_t need;

		pr_filename_expand(patterns[i], &facts, whole, sizeof(whole));
		need = strlen(whole) + 1;
		for (size = 1; size <= need; size++) {
			enum pr_filename_kind kind;

			memset(path, 'X', sizeof(path));
			kind = pr_filename_expand(patterns[i], &facts, path, size);
			cr_expect_eq(kind, size < need ? PR_FILENAME_BAD : PR_FILENAME_PATH,
				     "'%s' in %zu bytes", patterns[i], size);
			cr_expect_str_eq(path, size < need ? "" : whole);
			cr_expect_eq(path[size], 'X', "overran %zu bytes", size);
		}
	}
}

Test(common_filename, valid)
{
	cr_expect(pr_filename_valid("-"));
	cr_expect(pr_filename_valid("a%p%h%e%{X}%%"));
	cr_expect_not(pr_filename_valid(""));
	cr_expect_not(pr_filename_valid("%"));
	cr_expect_not(pr_filename_valid("%x"));
	cr_expect_not(pr_filename_valid("%{X"));
}
