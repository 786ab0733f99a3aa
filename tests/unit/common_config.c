/* config.c: what each variable and option accepts, refuses, and means. */
#include <criterion/criterion.h>

#include <inttypes.h>
#include <string.h>
#include "common/behaviours.h"
#include "common/config.h"

#define BIT(b) (UINT32_C(1) << PRD_##b)

static struct pr_config defaults(void)
{
	struct pr_config c;

	memset(&c, 0xa5, sizeof(c));
	pr_config_defaults(&c);
	return c;
}

Test(common_config, defaults)
{
	struct pr_config c = defaults();

	cr_expect_eq(c.mode, PR_MODE_ON);
	cr_expect_null(c.log);
	cr_expect_not(c.log_json);
	cr_expect_null(c.stats);
	cr_expect_eq(c.window_min, 16 << 10);
	cr_expect_eq(c.window_max, 64 << 20);
	cr_expect_eq(c.budget_percent, 10);
	cr_expect_eq(c.budget_bytes, 0);
	cr_expect_eq(c.context_memory, 32 << 20);
	cr_expect_eq(c.patterns, PR_BEHAVIOURS_ALL);
	cr_expect_null(c.include);
	cr_expect_null(c.exclude);
	cr_expect(c.stdio);
}

Test(common_config, variables_have_the_prefix)
{
	cr_expect_str_eq(pr_tunable_variable(PR_TUNABLE_mode), "PREREAD_MODE");
	cr_expect_str_eq(pr_tunable_variable(PR_TUNABLE_log_format), "PREREAD_LOG_FORMAT");
	cr_expect_str_eq(pr_tunable_variable(PR_TUNABLE_stdio), "PREREAD_STDIO");
}

Test(common_config, unset_and_empty_are_the_default)
{
	unsigned t;

	for (t = 0; t < PR_TUNABLE_COUNT; t++) {
		struct pr_config c = defaults(), d = defaults();

		pr_config_set(&c, (enum pr_tunable)t, "off");
		cr_expect_null(pr_config_set(&c, (enum pr_tunable)t, ""), "tunable %u", t);
		cr_expect_eq(memcmp(&c, &d, sizeof(c)), 0, "tunable %u, empty", t);
		pr_config_set(&c, (enum pr_tunable)t, "off");
		cr_expect_null(pr_config_set(&c, (enum pr_tunable)t, NULL), "tunable %u", t);
		cr_expect_eq(memcmp(&c, &d, sizeof(c)), 0, "tunable %u, NULL", t);
	}
}

Test(common_config, everything_takes_off)
{
	struct pr_config c = defaults();
	unsigned t;

	c.log = c.stats = c.include = c.exclude = "/x";
	c.log_json = true;
	for (t = 0; t < PR_TUNABLE_COUNT; t++)
		cr_expect_null(pr_config_set(&c, (enum pr_tunable)t, "off"), "tunable %u", t);
	cr_expect_eq(c.mode, PR_MODE_OFF);
	cr_expect_null(c.log);
	cr_expect_null(c.stats);
	cr_expect_not(c.log_json);
	cr_expect_eq(c.window_min, 0);
	cr_expect_eq(c.window_max, 0);
	cr_expect_eq(c.budget_bytes, 0);
	cr_expect_eq(c.budget_percent, 0);
	cr_expect_eq(c.context_memory, 0);
	cr_expect_eq(c.patterns, 0);
	cr_expect_null(c.include);
	cr_expect_null(c.exclude);
	cr_expect_not(c.stdio);
}

Test(common_config, refused_values_change_nothing)
{
	static const struct {
		enum pr_tunable tunable;
		const char *value;
	} rows[] = {
		{PR_TUNABLE_mode, "On"},
		{PR_TUNABLE_mode, "1"},
		{PR_TUNABLE_mode, "observed"},
		{PR_TUNABLE_log, "/tmp/%q"},
		{PR_TUNABLE_log, "/tmp/100%"},
		{PR_TUNABLE_stats, "/tmp/%{HOME"},
		{PR_TUNABLE_stats, "/tmp/%{}"},
		{PR_TUNABLE_log_format, "xml"},
		{PR_TUNABLE_window_min, "16Q"},
		{PR_TUNABLE_window_min, "-1"},
		{PR_TUNABLE_window_max, "64MB"},
		{PR_TUNABLE_window_max, "1.5M"},
		{PR_TUNABLE_window_max, " 1M"},
		{PR_TUNABLE_context_memory, "K"},
		{PR_TUNABLE_budget, "101%"},
		{PR_TUNABLE_budget, "10%%"},
		{PR_TUNABLE_budget, "%"},
		{PR_TUNABLE_budget, "many"},
		{PR_TUNABLE_patterns, "backwards"},
		{PR_TUNABLE_patterns, "back"},
		{PR_TUNABLE_patterns, "backward,"},
		{PR_TUNABLE_patterns, ",backward"},
		{PR_TUNABLE_patterns, "backward sparse"},
		{PR_TUNABLE_patterns, "backward,off"},
		{PR_TUNABLE_patterns, "--backward"},
		{PR_TUNABLE_patterns, "-"},
		{PR_TUNABLE_stdio, "on"},
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pr_config c = defaults(), before = c;
		const char *fault = pr_config_set(&c, rows[i].tunable, rows[i].value);

		cr_expect(fault && strncmp(fault, "expected ", 9) == 0, "%s=%s: %s",
			  pr_tunable_variable(rows[i].tunable), rows[i].value,
			  fault ? fault : "accepted");
		cr_expect_eq(memcmp(&c, &before, sizeof(c)), 0, "%s=%s changed something",
			     pr_tunable_variable(rows[i].tunable), rows[i].value);
	}
}

Test(common_config, sizes)
{
	static const struct {
		const char *text;
		bool fine;
		uint64_t bytes;
	} rows[] = {
		{"0", true, 0},
		{"1", true, 1},
		{"0042", true, 42},
		{"16K", true, 16384},
		{"16k", true, 16384},
		{"3M", true, 3145728},
		{"2G", true, UINT64_C(2147483648)},
		{"9223372036854775808", true, UINT64_C(1) << 63},
		{"8589934592G", true, UINT64_C(1) << 63},
		{"9223372036854775809", false, 0},
		{"8589934593G", false, 0},
		{"18446744073709551616", false, 0},
		{"99999999999999999999999", false, 0},
		{"", false, 0},
		{"K", false, 0},
		{"1KK", false, 0},
		{"1T", false, 0},
		{"+1", false, 0},
		{"0x10", false, 0},
		{"1 ", false, 0},
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t bytes = 77;
		bool fine = pr_parse_size(rows[i].text, &bytes);

		cr_expect_eq(fine, rows[i].fine, "'%s'", rows[i].text);
		cr_expect_eq(bytes, rows[i].fine ? rows[i].bytes : 77, "'%s': %" PRIu64,
			     rows[i].text, bytes);
	}
}

Test(common_config, budgets)
{
	static const struct {
		const char *value;
		uint64_t bytes;
		unsigned percent;
	} rows[] = {
		{"0", 0, 0},	  {"0%", 0, 0},		  {"1%", 0, 1},
		{"100%", 0, 100}, {"512M", 512 << 20, 0}, {"7", 7, 0},
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pr_config c = defaults();

		cr_expect_null(pr_config_set(&c, PR_TUNABLE_budget, rows[i].value));
		cr_expect_eq(c.budget_bytes, rows[i].bytes, "%s", rows[i].value);
		cr_expect_eq(c.budget_percent, rows[i].percent, "%s", rows[i].value);
	}
}

Test(common_config, patterns)
{
	static const struct {
		const char *value;
		uint32_t patterns;
	} rows[] = {
		{"all", PR_BEHAVIOURS_ALL},
		{"backward", BIT(BACKWARD)},
		{"backward,sparse,pipes", BIT(BACKWARD) | BIT(SPARSE) | BIT(PIPES)},
		{"-backward", PR_BEHAVIOURS_ALL & ~BIT(BACKWARD)},
		{"-files,-pipes,-random",
		 PR_BEHAVIOURS_ALL & ~BIT(FILES) & ~BIT(PIPES) & ~BIT(RANDOM)},
		{"all,-dense", PR_BEHAVIOURS_ALL & ~BIT(DENSE)},
		{"-all,dense", BIT(DENSE)},
		{"dense,-dense", 0},
		{"-dense,dense", PR_BEHAVIOURS_ALL},
		{"consecutive,strided,-strided", BIT(CONSECUTIVE)},
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pr_config c = defaults();
		const char *fault = pr_config_set(&c, PR_TUNABLE_patterns, rows[i].value);

		cr_expect_null(fault, "%s: %s", rows[i].value, fault);
		cr_expect_eq(c.patterns, rows[i].patterns, "%s: %#x", rows[i].value,
			     c.patterns);
	}
}

/* The names and their bits are a contract, so they are spelt out once more. */
Test(common_config, behaviour_names)
{
	static const char *const names[] = {
		"consecutive", "interleaved", "backward", "strided",   "sparse",
		"reordered",   "dense",	      "context",  "thrashing", "random",
		"advised",     "mapped",      "files",	  "learned",   "pipes",
	};
	unsigned i, count = sizeof(names) / sizeof(names[0]);

	cr_assert_eq(PRD_BEHAVIOUR_COUNT, count);
	for (i = 0; i < count; i++) {
		cr_expect_str_eq(pr_behaviour_name((enum prd_behaviour)i), names[i]);
		cr_expect_eq(pr_behaviour_find(names[i], strlen(names[i])), i, "%s", names[i]);
		cr_expect_eq(pr_behaviour_find(names[i], strlen(names[i]) - 1), count, "%s",
			     names[i]);
	}
	cr_expect_str_eq(pr_behaviour_name(PRD_BEHAVIOUR_COUNT), "unknown");
}

Test(common_config, settle_lowers_the_first_window)
{
	struct pr_config c = defaults();

	cr_expect(pr_config_settle(&c));
	c.window_max = 4096;
	cr_expect_not(pr_config_settle(&c));
	cr_expect_eq(c.window_min, 4096);
	c = defaults();
	c.window_max = 0;
	cr_expect(pr_config_settle(&c), "off is no limit to settle to");
	cr_expect_eq(c.window_min, 16 << 10);
}
