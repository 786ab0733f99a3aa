/* text.c: what is built, and that nothing overruns or is cut in the middle. */
#include <criterion/criterion.h>

#include <stdint.h>
#include <string.h>
#include "common/text.h"

typedef void (*adder)(struct pr_text *, const char *);

static void expect_text(adder add, const char *in, const char *out)
{
	char buffer[256];
	struct pr_text t;

	pr_text_init(&t, buffer, sizeof(buffer));
	add(&t, in);
	cr_expect_not(t.cut);
	cr_expect_str_eq(buffer, out);
	cr_expect_eq(t.used, strlen(out));
}

Test(common_text, numbers)
{
	static const struct {
		int64_t n;
		const char *text;
	} rows[] = {
		{0, "0"},
		{7, "7"},
		{-1, "-1"},
		{1234567890123, "1234567890123"},
		{INT64_MAX, "9223372036854775807"},
		{INT64_MIN, "-9223372036854775808"},
	};
	char buffer[64];
	struct pr_text t;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pr_text_init(&t, buffer, sizeof(buffer));
		pr_text_i64(&t, rows[i].n);
		cr_expect_str_eq(buffer, rows[i].text);
	}
	pr_text_init(&t, buffer, sizeof(buffer));
	pr_text_u64(&t, UINT64_MAX);
	pr_text_add(&t, ".");
	pr_text_u64_padded(&t, 42, 6);
	pr_text_add(&t, ".");
	pr_text_u64_padded(&t, 1234567, 6);
	cr_expect_str_eq(buffer, "18446744073709551615.000042.1234567");
}

Test(common_text, escaped)
{
	expect_text(pr_text_escaped, "", "");
	expect_text(pr_text_escaped, "/plain/file", "/plain/file");
	expect_text(pr_text_escaped, "a\nb\tc\\d", "a\\nb\\tc\\\\d");
	expect_text(pr_text_escaped, "\x1b[0m", "\\x1b[0m");
	expect_text(pr_text_escaped, "two words", "two\\x20words");
	expect_text(pr_text_escaped, "\x7f\x01", "\\x7f\\x01");
	expect_text(pr_text_escaped, "gr\xc3\xbc\xc3\x9f \"e\"",
		    "gr\xc3\xbc\xc3\x9f\\x20\"e\"");
	expect_text(pr_text_shown, "two words\r", "two words\\r");
}

/* Latin-1, a lone continuation, overlong, surrogate, too high, cut short: bytes, not text. */
Test(common_text, escaped_not_utf8)
{
	expect_text(pr_text_escaped, "gr\xfc", "gr\\xfc");
	expect_text(pr_text_escaped, "\x80g", "\\x80g");
	expect_text(pr_text_escaped, "\xc0\xaf", "\\xc0\\xaf");
	expect_text(pr_text_escaped, "\xe0\x80\xaf", "\\xe0\\x80\\xaf");
	expect_text(pr_text_escaped, "\xed\xa0\x80", "\\xed\\xa0\\x80");
	expect_text(pr_text_escaped, "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
	expect_text(pr_text_escaped, "\xe2\x82", "\\xe2\\x82");
	expect_text(pr_text_escaped, "\xe2\x82\xac", "\xe2\x82\xac");
	expect_text(pr_text_escaped, "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");
}

Test(common_text, json)
{
	expect_text(pr_text_json, "", "\"\"");
	expect_text(pr_text_json, "a \"b\" \\", "\"a \\\"b\\\" \\\\\"");
	expect_text(pr_text_json, "\n\x1f", "\"\\u000a\\u001f\"");
	expect_text(pr_text_json, "\xe2\x82\xac\xff", "\"\xe2\x82\xac\\ufffd\"");
	expect_text(pr_text_json_path, "/a b", "\"/a b\"");
	expect_text(pr_text_json_path, "/\n\xff\"\\", "\"/\\\\n\\\\xff\\\"\\\\\\\\\"");
}

/* In every size of buffer: a prefix of the whole, flagged, and not a byte beyond. */
static void expect_prefixes(adder add, const char *in)
{
	char whole[256], part[256];
	struct pr_text t;
	size_t size;

	pr_text_init(&t, whole, sizeof(whole));
	add(&t, in);
	for (size = 1; size <= strlen(whole) + 1; size++) {
		memset(part, 'X', sizeof(part));
		pr_text_init(&t, part, size);
		add(&t, in);
		cr_expect_eq(t.cut, size <= strlen(whole), "size %zu of '%s'", size, whole);
		cr_expect_eq(strlen(part), t.used);
		cr_expect_eq(strncmp(part, whole, t.used), 0, "'%s' begins '%s'", part, whole);
		cr_expect_eq(part[size], 'X', "size %zu of '%s' overran", size, whole);
		/* Nothing more gets in behind a hole. */
		pr_text_add(&t, "");
		cr_expect_eq(strlen(part), t.used);
		if (t.cut) {
			size_t used = t.used;

			pr_text_u64(&t, 1);
			cr_expect_eq(t.used, used);
		}
	}
}

static void add_number(struct pr_text *t, const char *unused)
{
	(void)unused;
	pr_text_i64(t, -123456);
}

Test(common_text, cut)
{
	expect_prefixes(pr_text_add, "hello");
	expect_prefixes(pr_text_escaped, "a\n\x1b\xe2\x82\xac\xff z");
	expect_prefixes(pr_text_json, "a\n\"\xe2\x82\xac\xff z");
	expect_prefixes(pr_text_json_path, "a\n\"\xe2\x82\xac\xff z\\");
	expect_prefixes(add_number, "");
}

Test(common_text, a_number_is_cut_as_a_whole)
{
	char buffer[4];
	struct pr_text t;

	pr_text_init(&t, buffer, sizeof(buffer));
	pr_text_i64(&t, -123);
	cr_expect(t.cut);
	cr_expect_str_eq(buffer, "");
}
