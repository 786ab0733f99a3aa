#include "shim/log.h"

#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "common/behaviours.h"
#include "common/text.h"
#include "common/version.h"
#include "shim/proc.h"
#include "shim/report.h"

#define LINE 6144 /* a path of 4096 bytes fits; a longer line is cut between two words */

static bool introduced;

/* A line being made, in the format that was asked for; and a file's name. Not on the stack,
 * which may be a signal handler's small one. */
struct line {
	char bytes[LINE];
	struct pr_text text;
	bool json;
};

static struct line the_line;
static char the_name[4096];
static int writing; /* the lock of both */

static void word(struct line *l, const char *key)
{
	if (l->json) {
		pr_text_add(&l->text, ",");
		pr_text_json(&l->text, key);
		pr_text_add(&l->text, ":");
	} else {
		pr_text_add(&l->text, " ");
		pr_text_add(&l->text, key);
		pr_text_add(&l->text, "=");
	}
}

static void number(struct line *l, const char *key, uint64_t value)
{
	word(l, key);
	pr_text_u64(&l->text, value);
}

static void string(struct line *l, const char *key, const char *value)
{
	word(l, key);
	if (l->json)
		pr_text_json(&l->text, value);
	else
		pr_text_escaped(&l->text, value);
}

static void path(struct line *l, const char *key, const char *value)
{
	word(l, key);
	if (l->json)
		pr_text_json_path(&l->text, value);
	else
		pr_text_escaped(&l->text, value);
}

static void begin(struct line *l, const char *event)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	pr_text_init(&l->text, l->bytes, sizeof(l->bytes) - 2); /* room for the end */
	l->json = prs_settings.config.log_json;
	pr_text_add(&l->text, l->json ? "{\"preread\":1,\"time\":" : "preread/1 ");
	pr_text_u64(&l->text, (uint64_t)now.tv_sec);
	pr_text_add(&l->text, ".");
	pr_text_u64_padded(&l->text, (uint64_t)now.tv_nsec / 1000, 6);
	pr_text_add(&l->text, l->json ? ",\"pid\":" : " ");
	pr_text_u64(&l->text, (uint64_t)getpid());
	pr_text_add(&l->text, l->json ? ",\"event\":" : " ");
	if (l->json)
		pr_text_json(&l->text, event);
	else
		pr_text_add(&l->text, event);
}

static void end(struct line *l)
{
	const char *name = prs_settings.log;
	long fd = 2;

	/* Cut JSON is no JSON: such a line is better missing. */
	if (l->json && l->text.cut)
		return;
	if (l->json)
		l->bytes[l->text.used++] = '}';
	l->bytes[l->text.used++] = '\n';
	if (strcmp(name, "-") != 0)
		fd = prs_open(name, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
	else if (!prs_stderr_unchanged())
		return;
	if (fd < 0)
		return;
	prs_put(fd, l->bytes, l->text.used, -1);
	if (strcmp(name, "-") != 0)
		prs_close(fd);
}

static bool wanted(void)
{
	return prs_settings.log[0];
}

static const char *mode_name(void)
{
	return prs_settings.advise ? "on" : "observe";
}

static void start(void)
{
	struct line *l = &the_line;
	const char *why, *variable, *value;

	introduced = true;
	if (!wanted())
		return;
	begin(l, "start");
	string(l, "program", prs_program);
	string(l, "version", PR_VERSION);
	string(l, "mode", mode_name());
	end(l);
	for (unsigned i = 0; (why = prs_complaint(i, &variable, &value)) != NULL; i++) {
		begin(l, "start");
		string(l, "variable", variable);
		string(l, "value", value);
		string(l, "why", why);
		end(l);
	}
}

static void introduce(void)
{
	if (!introduced)
		start();
}

void prs_log_start(void)
{
	start(); /* in the constructor: nobody else is there yet */
}

void prs_log_child(void)
{
	introduced = false;
	writing = 0;
}

static void add_sums(struct line *l, const struct prs_sums *s)
{
	number(l, "reads", s->reads);
	number(l, "bytes", s->bytes);
	number(l, "advised", s->advised);
	number(l, "hit", s->hit);
	number(l, "late", s->late);
	number(l, "miss", s->miss);
	number(l, "wasted", s->wasted);
	number(l, "waited_ns", s->waited_ns);
}

/* A stream that ended may be another file's than the one just read: no name then. */
static void add_file(struct line *l, uint64_t dev, uint64_t ino, int fd)
{
	struct prs_key key = {dev, ino};
	uint64_t size;

	number(l, "dev", dev);
	number(l, "ino", ino);
	if (fd < 0 || !prs_same_file(fd, &key, &size))
		return;
	prs_path(fd, the_name, sizeof(the_name));
	path(l, "file", the_name);
}

static void say_end(const struct prs_note *note, int fd)
{
	struct line *l = &the_line;

	introduce();
	begin(l, "end");
	number(l, "stream", note->end.stream);
	string(l, "behaviour", pr_behaviour_name(note->end.behaviour));
	add_file(l, note->end.dev, note->end.ino, fd);
	number(l, "offset", note->end.offset);
	add_sums(l, &note->sums);
	end(l);
}

static void say_stream(const struct prs_note *note, int fd, const char *event)
{
	struct line *l = &the_line;

	introduce();
	begin(l, event);
	number(l, "stream", note->stream);
	string(l, "behaviour", pr_behaviour_name(note->behaviour));
	add_file(l, note->dev, note->ino, fd);
	number(l, "offset", note->offset);
	if (note->delta) {
		word(l, "delta");
		pr_text_i64(&l->text, note->delta);
		number(l, "run", note->run);
	}
	end(l);
}

void prs_log_note(int fd, const struct prs_note *note)
{
	if (!wanted() || !(note->ended || note->found || note->changed || note->no_effect) ||
	    !prs_try_hard(&writing))
		return;
	if (note->ended)
		say_end(note, fd);
	if (note->found || note->changed)
		say_stream(note, fd, note->found ? "stream" : "change");
	if (note->no_effect)
		say_stream(note, fd, "no-effect");
	prs_release(&writing);
}

void prs_log_latch(const char *why)
{
	struct line *l = &the_line;

	if (!wanted() || !prs_try_hard(&writing))
		return;
	introduce();
	begin(l, "latch");
	string(l, "why", why);
	end(l);
	prs_release(&writing);
}

static void say_last(const struct prs_note *note)
{
	if (wanted())
		say_end(note, -1);
}

void prs_log_exit(const char *how)
{
	struct line *l = &the_line;
	struct prs_sums totals;

	if (!prs_try_hard(&writing))
		return;
	prs_stats_end_streams(say_last);
	if (wanted() && introduced) {
		totals = prs_stats_totals();
		begin(l, "exit");
		string(l, "why", how);
		add_sums(l, &totals);
		end(l);
	}
	prs_release(&writing);
}
