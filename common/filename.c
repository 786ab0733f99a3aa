#include "common/filename.h"

#include <string.h>
#include "common/text.h"

/* The value of the variable of that name; "" when unset. */
static const char *variable(char *const *environment, const char *name, size_t length)
{
	for (; environment && *environment; environment++)
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	return "";
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * Adds what the conversion after a `%` stands for, and returns what follows it in the
 * pattern; NULL when it is none. Without facts it only checks.
 */
static const char *convert(struct pr_text *t, const char *at,
			   const struct pr_filename_facts *facts)
{
	const char *end;

	switch (*at) {
	case '%':
		if (facts)
			pr_text_add(t, "%");
		return at + 1;
	case 'p':
		if (facts)
			pr_text_i64(t, facts->pid);
		return at + 1;
	case 'h':
		if (facts)
			pr_text_add(t, facts->host);
		return at + 1;
	case 'e':
		if (facts)
			pr_text_add(t, base_name(facts->program));
		return at + 1;
	case '{':
		end = strchr(at, '}');
		if (!end || end == at + 1)
			return NULL;
		if (facts)
			pr_text_add(t, variable(facts->environment, at + 1,
						(size_t)(end - at - 1)));
		return end + 1;
	default:
		return NULL;
	}
}

bool pr_filename_valid(const char *pattern)
{
	const char *at = pattern;

	while (at && *at)
		at = *at == '%' ? convert(NULL, at + 1, NULL) : at + 1;
	return at && *pattern;
}

static bool expand(struct pr_text *t, const char *pattern,
		   const struct pr_filename_facts *facts)
{
	const char *at = pattern;

	while (*at) {
		size_t plain = strcspn(at, "%");

		pr_text_add_bytes(t, at, plain);
		at += plain;
		if (!*at)
			break;
		at = convert(t, at + 1, facts);
		if (!at)
			return false;
	}
	return !t->cut && t->used;
}

enum pr_filename_kind pr_filename_expand(const char *pattern,
					 const struct pr_filename_facts *facts, char *out,
					 size_t size)
{
	struct pr_text t;
	size_t cwd_length;

	pr_text_init(&t, out, size);
	if (!expand(&t, pattern, facts)) {
		out[0] = '\0';
		return PR_FILENAME_BAD;
	}
	if (strcmp(out, "-") == 0 || strcmp(out, "/dev/stderr") == 0) {
		out[0] = '\0';
		return PR_FILENAME_STDERR;
	}
	if (out[0] == '/')
		return PR_FILENAME_PATH;

	cwd_length = strlen(facts->cwd);
	if (cwd_length && facts->cwd[cwd_length - 1] == '/')
		cwd_length--;
	if (t.used + cwd_length + 1 >= size) {
		out[0] = '\0';
		return PR_FILENAME_BAD;
	}
	memmove(out + cwd_length + 1, out, t.used + 1);
	memcpy(out, facts->cwd, cwd_length);
	out[cwd_length] = '/';
	return PR_FILENAME_PATH;
}
