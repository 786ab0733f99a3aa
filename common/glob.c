/*
 * The C library's fnmatch is not used: it may allocate, it follows the locale that the program
 * has set, and it wants each glob of the list as a string of its own.
 */
#include "common/config.h"

#include <string.h>

struct glob {
	const char *at, *end;
};

/* The `:]` that ends the class name at `at`, NULL when there is none before `end`. */
static const char *class_end(const char *at, const char *end)
{
	for (; at + 1 < end; at++)
		if (at[0] == ':' && at[1] == ']')
			return at;
	return NULL;
}

/* Where a bracket expression ends (behind its `]`), NULL when it has no end before `end`. */
static const char *bracket_end(const char *at, const char *end)
{
	at++;
	if (at < end && (*at == '!' || *at == '^'))
		at++;
	if (at < end && *at == ']')
		at++;
	for (; at < end && *at != ']'; at++) {
		if (*at == '\\')
			at++;
		else if (at + 1 < end && at[0] == '[' && at[1] == ':') {
			at = class_end(at + 2, end);
			if (!at)
				return NULL;
			at++;
		}
	}
	return at < end ? at + 1 : NULL;
}

static bool is_between(unsigned char c, unsigned char low, unsigned char high)
{
	return low <= c && c <= high;
}

/* ASCII, whatever the program's locale: a path's bytes mean the same everywhere. */
static bool in_class(unsigned char c, const char *name, size_t length)
{
	bool lower = is_between(c, 'a', 'z'), upper = is_between(c, 'A', 'Z');
	bool digit = is_between(c, '0', '9'), alnum = lower || upper || digit;
	const struct {
		const char *name;
		bool in;
	} classes[] = {
		{"lower", lower},
		{"upper", upper},
		{"digit", digit},
		{"alpha", lower || upper},
		{"alnum", alnum},
		{"xdigit", digit || is_between(c, 'a', 'f') || is_between(c, 'A', 'F')},
		{"space", c == ' ' || is_between(c, '\t', '\r')},
		{"blank", c == ' ' || c == '\t'},
		{"cntrl", c < 0x20 || c == 0x7f},
		{"print", is_between(c, 0x20, 0x7e)},
		{"graph", is_between(c, 0x21, 0x7e)},
		{"punct", is_between(c, 0x21, 0x7e) && !alnum},
	};
	size_t i;

	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strlen(classes[i].name) == length &&
		    memcmp(classes[i].name, name, length) == 0)
			return classes[i].in;
	return false;
}

/* Is c in the bracket expression [at, end)? */
static bool in_bracket(unsigned char c, const char *at, const char *end)
{
	bool negated = at[1] == '!' || at[1] == '^', in = false;
	const char *last = end - 1; /* its `]` */

	at += 1 + negated;
	while (at < last) {
		unsigned char low, high;
		const char *name = at + 2;
		const char *name_end = class_end(name, last);

		if (at[0] == '[' && at[1] == ':' && name_end) {
			in |= in_class(c, name, (size_t)(name_end - name));
			at = name_end + 2;
			continue;
		}
		if (*at == '\\')
			at++;
		low = high = (unsigned char)*at++;
		if (at + 1 < last && *at == '-') {
			at++;
			if (*at == '\\')
				at++;
			high = (unsigned char)*at++;
		}
		in |= is_between(c, low, high);
	}
	return in != negated;
}

/* Matches c with what stands at g->at (no star), and steps over that. */
static bool match_one(struct glob *g, unsigned char c)
{
	const char *at = g->at, *end;

	switch (*at) {
	case '?':
		g->at = at + 1;
		return true;
	case '[':
		end = bracket_end(at, g->end);
		if (!end)
			break;
		g->at = end;
		return in_bracket(c, at, end);
	case '\\':
		if (at + 1 < g->end)
			at++;
		break;
	default:
		break;
	}
	g->at = at + 1;
	return (unsigned char)*at == c;
}

/*
 * Only the last star needs trying again: whatever an earlier one could take more, the last
 * one can take as well. So the time is at most glob times path, with no recursion.
 */
static bool match(struct glob g, const char *path)
{
	const char *star = NULL, *retry = NULL;

	while (*path) {
		if (g.at < g.end && *g.at == '*') {
			star = ++g.at;
			retry = path;
		} else if (g.at < g.end && match_one(&g, (unsigned char)*path)) {
			path++;
		} else if (star) {
			g.at = star;
			path = ++retry;
		} else {
			return false;
		}
	}
	while (g.at < g.end && *g.at == '*')
		g.at++;
	return g.at == g.end;
}

/* The colon that ends the glob at `at`, or the list's end; not one in brackets or escaped. */
static const char *glob_end(const char *at)
{
	const char *end = at + strlen(at), *behind;

	while (at < end && *at != ':') {
		if (*at == '[') {
			const char *colon = strchr(at, ':');

			behind = bracket_end(at, end);
			/* A colon in brackets counts only as part of a [:class:]. */
			if (behind && (!colon || colon >= behind || colon[-1] == '['))
				at = behind - 1;
		} else if (*at == '\\' && at + 1 < end) {
			at++;
		}
		at++;
	}
	return at;
}

bool pr_globs_match(const char *globs, const char *path)
{
	while (globs && *globs) {
		struct glob g = {globs, glob_end(globs)};

		if (g.at < g.end && match(g, path))
			return true;
		globs = *g.end ? g.end + 1 : g.end;
	}
	return false;
}
