/*
 * text.h - build a line of text in a caller's buffer.
 *
 * For the log and the statistics inside other people's programs, where neither stdio nor
 * malloc may be touched. Nothing ever overruns: what does not fit as a whole (a number, an
 * escape sequence, a string) is left out together with everything after it, and `cut` says
 * so. So the text is at all times a prefix of the wanted text, never one with a hole, and it
 * always ends in a NUL.
 */
#ifndef PR_TEXT_H
#define PR_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pr_text {
	char *at; /* the caller's buffer */
	size_t size; /* of the buffer, the final NUL included */
	size_t used; /* bytes of text, the NUL not included */
	bool cut; /* something did not fit */
};

/* Starts an empty text in buffer[size]; size is at least 1. */
void pr_text_init(struct pr_text *t, char *buffer, size_t size);

void pr_text_add(struct pr_text *t, const char *s);
void pr_text_add_bytes(struct pr_text *t, const char *s, size_t length);
void pr_text_u64(struct pr_text *t, uint64_t n);
void pr_text_i64(struct pr_text *t, int64_t n);

/* Decimal, with zeros before it up to `digits` (at most 20): for fractions. */
void pr_text_u64_padded(struct pr_text *t, uint64_t n, unsigned digits);

/*
 * A path or a name as one word of a text log: backslash, blanks, control bytes and whatever
 * is not UTF-8 as C escapes, hexadecimal ones of exactly two digits.
 */
void pr_text_escaped(struct pr_text *t, const char *s);

/* The same for a message that a person reads: blanks stay. */
void pr_text_shown(struct pr_text *t, const char *s);

/* A JSON string with its quotes; a byte that is not UTF-8 becomes U+FFFD. */
void pr_text_json(struct pr_text *t, const char *s);

/*
 * A path as a JSON string with its quotes. JSON cannot hold bytes that are not UTF-8 but a
 * path can: so the string's content is C-escaped first (blanks stay), as it is in text logs.
 */
void pr_text_json_path(struct pr_text *t, const char *s);

#endif
