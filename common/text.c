#include "common/text.h"

#include <string.h>

static const char hex[] = "0123456789abcdef";

void pr_text_init(struct pr_text *t, char *buffer, size_t size)
{
	t->at = buffer;
	t->size = size;
	t->used = 0;
	t->cut = false;
	buffer[0] = '\0';
}

void pr_text_add_bytes(struct pr_text *t, const char *s, size_t length)
{
	if (t->cut || length >= t->size - t->used) {
		t->cut = true;
		return;
	}
	memcpy(t->at + t->used, s, length);
	t->used += length;
	t->at[t->used] = '\0';
}

void pr_text_add(struct pr_text *t, const char *s)
{
	pr_text_add_bytes(t, s, strlen(s));
}

void pr_text_u64_padded(struct pr_text *t, uint64_t n, unsigned digits)
{
	char s[20];
	size_t at = sizeof(s);

	do {
		s[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	while (at && sizeof(s) - at < digits)
		s[--at] = '0';
	pr_text_add_bytes(t, s + at, sizeof(s) - at);
}

void pr_text_u64(struct pr_text *t, uint64_t n)
{
	pr_text_u64_padded(t, n, 1);
}

void pr_text_i64(struct pr_text *t, int64_t n)
{
	struct pr_text before = *t;

	if (n >= 0) {
		pr_text_u64(t, (uint64_t)n);
		return;
	}
	pr_text_add(t, "-");
	pr_text_u64(t, -(uint64_t)n);
	if (t->cut) { /* no lone sign */
		t->used = before.used;
		t->at[t->used] = '\0';
	}
}

/* Length of the well-formed UTF-8 sequence at s, 0 when there is none. */
static size_t utf8_length(const unsigned char *s)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t length, i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (s[0] == 0xe0)
		low = 0xa0; /* overlong */
	else if (s[0] == 0xed)
		high = 0x9f; /* surrogates */
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f; /* beyond U+10FFFF */
	for (i = 1; i < length; i++) {
		if (s[i] < low || s[i] > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return length;
}

/*
 * Adds one character of a C-escaped string and returns the bytes of s that it took. The
 * backslash itself is the caller's: doubled where the escapes stand inside JSON.
 */
static size_t add_escaped(struct pr_text *t, const char *s, const char *backslash, bool blanks)
{
	static const char named[] = "\a\b\t\n\v\f\r\\", letter[] = "abtnvfr\\";
	char escape[8];
	struct pr_text e;
	size_t length = utf8_length((const unsigned char *)s);
	unsigned char c = (unsigned char)s[0];
	const char *found = strchr(named, c);

	if (!found && length && c >= 0x20 && c != 0x7f && !(c == ' ' && blanks)) {
		pr_text_add_bytes(t, s, length);
		return length;
	}
	pr_text_init(&e, escape, sizeof(escape));
	pr_text_add(&e, backslash);
	if (found && c == '\\') {
		pr_text_add(&e, backslash);
	} else if (found) {
		pr_text_add_bytes(&e, &letter[found - named], 1);
	} else {
		pr_text_add(&e, "x");
		pr_text_add_bytes(&e, &hex[c >> 4], 1);
		pr_text_add_bytes(&e, &hex[c & 15], 1);
	}
	pr_text_add_bytes(t, escape, e.used);
	return 1;
}

void pr_text_escaped(struct pr_text *t, const char *s)
{
	while (*s && !t->cut)
		s += add_escaped(t, s, "\\", true);
}

void pr_text_shown(struct pr_text *t, const char *s)
{
	while (*s && !t->cut)
		s += add_escaped(t, s, "\\", false);
}

void pr_text_json_path(struct pr_text *t, const char *s)
{
	pr_text_add(t, "\"");
	while (*s && !t->cut) {
		if (*s == '"') {
			pr_text_add(t, "\\\"");
			s++;
		} else {
			s += add_escaped(t, s, "\\\\", false);
		}
	}
	pr_text_add(t, "\"");
}

void pr_text_json(struct pr_text *t, const char *s)
{
	char control[] = "\\u00xx";
	size_t length;

	pr_text_add(t, "\"");
	while (*s && !t->cut) {
		unsigned char c = (unsigned char)*s;

		length = utf8_length((const unsigned char *)s);
		if (!length) {
			pr_text_add(t, "\\ufffd");
			length = 1;
		} else if (c == '"' || c == '\\') {
			char pair[] = {'\\', (char)c};

			pr_text_add_bytes(t, pair, sizeof(pair));
		} else if (c < 0x20) {
			control[4] = hex[c >> 4];
			control[5] = hex[c & 15];
			pr_text_add_bytes(t, control, sizeof(control) - 1);
		} else {
			pr_text_add_bytes(t, s, length);
		}
		s += length;
	}
	pr_text_add(t, "\"");
}
