#include "common/config.h"

#include <string.h>
#include "common/behaviours.h"
#include "common/filename.h"

enum kind {
	PR_KIND_MODE,
	PR_KIND_FILE,
	PR_KIND_FORMAT,
	PR_KIND_SIZE,
	PR_KIND_BUDGET,
	PR_KIND_PATTERNS,
	PR_KIND_GLOBS,
	PR_KIND_AUTO
};

static const struct {
	const char *variable;
	const char *fallback;
	enum kind kind;
} tunables[PR_TUNABLE_COUNT] = {
#define TUNABLE_ROW(id, var, opt, kind, def, meta, help)                                       \
	[PR_TUNABLE_##id] = {"PREREAD_" var, def, PR_KIND_##kind},
	PR_TUNABLES(TUNABLE_ROW)
#undef TUNABLE_ROW
};

const char *pr_tunable_variable(enum pr_tunable t)
{
	return tunables[t].variable;
}

static bool is_off(const char *value)
{
	return strcmp(value, "off") == 0;
}

static bool parse_decimal(const char **at, uint64_t *n)
{
	const char *s = *at;

	*n = 0;
	if (*s < '0' || *s > '9')
		return false;
	for (; *s >= '0' && *s <= '9'; s++) {
		unsigned digit = (unsigned)(*s - '0');

		if (*n > (UINT64_MAX - digit) / 10)
			return false;
		*n = *n * 10 + digit;
	}
	*at = s;
	return true;
}

bool pr_parse_size(const char *text, uint64_t *bytes)
{
	const uint64_t most = UINT64_C(1) << 63;
	unsigned shift = 0;
	uint64_t n;

	if (!parse_decimal(&text, &n))
		return false;
	if (*text == 'K' || *text == 'k')
		shift = 10;
	else if (*text == 'M' || *text == 'm')
		shift = 20;
	else if (*text == 'G' || *text == 'g')
		shift = 30;
	if (shift)
		text++;
	if (*text || n > most >> shift)
		return false;
	*bytes = n << shift;
	return true;
}

static const char *set_mode(struct pr_config *c, const char *value)
{
	if (is_off(value))
		c->mode = PR_MODE_OFF;
	else if (strcmp(value, "observe") == 0)
		c->mode = PR_MODE_OBSERVE;
	else if (strcmp(value, "on") == 0)
		c->mode = PR_MODE_ON;
	else
		return "expected on, observe or off";
	return NULL;
}

static const char *set_file(const char **file, const char *value)
{
	if (!value || is_off(value))
		*file = NULL;
	else if (pr_filename_valid(value))
		*file = value;
	else
		return "expected a file name; % takes one of %p %h %e %{VARIABLE} %%";
	return NULL;
}

static const char *set_format(struct pr_config *c, const char *value)
{
	bool json = strcmp(value, "json") == 0;

	if (!json && strcmp(value, "text") != 0 && !is_off(value))
		return "expected text or json";
	c->log_json = json;
	return NULL;
}

static const char *set_size(uint64_t *bytes, const char *value)
{
	if (is_off(value))
		*bytes = 0;
	else if (!pr_parse_size(value, bytes))
		return "expected a number of bytes, with K, M or G behind it or nothing, or "
		       "off";
	return NULL;
}

static const char *set_budget(struct pr_config *c, const char *value)
{
	const char *end = value;
	uint64_t n = 0;

	if (parse_decimal(&end, &n) && strcmp(end, "%") == 0 && n <= 100) {
		c->budget_percent = (unsigned)n;
		c->budget_bytes = 0;
		return NULL;
	}
	if (!is_off(value) && !pr_parse_size(value, &n))
		return "expected bytes (K, M, G) or 0% to 100% of memory to spare, or off";
	c->budget_bytes = is_off(value) ? 0 : n;
	c->budget_percent = 0;
	return NULL;
}

/* The bits of one name of a list; 0 when there is no such name. */
static uint32_t pattern_bits(const char *name, size_t length)
{
	enum prd_behaviour b;

	if (length == 3 && memcmp(name, "all", 3) == 0)
		return PR_BEHAVIOURS_ALL;
	b = pr_behaviour_find(name, length);
	return b == PRD_BEHAVIOUR_COUNT ? 0 : UINT32_C(1) << b;
}

static const char *set_patterns(struct pr_config *c, const char *value)
{
	uint32_t patterns = value[0] == '-' ? PR_BEHAVIOURS_ALL : 0;
	const char *at = value;

	while (!is_off(value)) {
		bool remove = *at == '-';
		const char *name = at + remove;
		size_t length = strcspn(name, ",");
		uint32_t bits = pattern_bits(name, length);

		if (!bits) {
#define NAME_IN_LIST(id, letter, name) " " name
			return "expected all, off or a comma list of" PRD_BEHAVIOURS(
				NAME_IN_LIST) "; -name takes one out";
#undef NAME_IN_LIST
		}
		patterns = remove ? patterns & ~bits : patterns | bits;
		if (!name[length])
			break;
		at = name + length + 1;
	}
	c->patterns = patterns;
	return NULL;
}

static const char *set_globs(const char **globs, const char *value)
{
	*globs = value && is_off(value) ? NULL : value;
	return NULL;
}

static const char *set_auto(bool *on, const char *value)
{
	if (strcmp(value, "auto") != 0 && !is_off(value))
		return "expected auto or off";
	*on = !is_off(value);
	return NULL;
}

const char *pr_config_set(struct pr_config *c, enum pr_tunable t, const char *value)
{
	if (!value || !*value)
		value = tunables[t].fallback;
	switch (tunables[t].kind) {
	case PR_KIND_MODE:
		return set_mode(c, value);
	case PR_KIND_FILE:
		return set_file(t == PR_TUNABLE_log ? &c->log : &c->stats, value);
	case PR_KIND_FORMAT:
		return set_format(c, value);
	case PR_KIND_SIZE:
		return set_size(t == PR_TUNABLE_window_min   ? &c->window_min
				: t == PR_TUNABLE_window_max ? &c->window_max
							     : &c->context_memory,
				value);
	case PR_KIND_BUDGET:
		return set_budget(c, value);
	case PR_KIND_PATTERNS:
		return set_patterns(c, value);
	case PR_KIND_GLOBS:
		return set_globs(t == PR_TUNABLE_include ? &c->include : &c->exclude, value);
	case PR_KIND_AUTO:
		return set_auto(&c->stdio, value);
	}
	return "not a tunable";
}

void pr_config_defaults(struct pr_config *c)
{
	unsigned t;

	for (t = 0; t < PR_TUNABLE_COUNT; t++)
		pr_config_set(c, (enum pr_tunable)t, NULL);
}

bool pr_config_settle(struct pr_config *c)
{
	if (!c->window_max || c->window_min <= c->window_max)
		return true;
	c->window_min = c->window_max;
	return false;
}
