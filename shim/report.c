#include "shim/report.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "common/behaviours.h"
#include "common/text.h"
#include "common/version.h"
#include "shim/proc.h"

/* One process's line: longer than all its figures can be. */
#define LINE 8192
/* While the process runs its line is renewed as often as 2 % of its time allow; and the first
 * times always, so that little is missing however soon it is killed. */
#define REFRESH_SHARE 50
#define REFRESH_FREE  256

char prs_program[256];
char prs_host[65];

static int64_t line_at; /* where in the file this process's line is; -1: nowhere yet */
static uint64_t line_dev, line_ino;
static uint64_t started_us;
static uint64_t refresh_ns; /* when the line is due again */
static unsigned refreshes;
static char line[LINE]; /* under `writing` */
static int writing;

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

void prs_report_start(void)
{
	started_us = now_us();
	line_at = -1;
}

void prs_report_child(void)
{
	prs_report_start();
	refreshes = 0;
	writing = 0;
}

static void key_u64(struct pr_text *t, const char *before, uint64_t value)
{
	pr_text_add(t, before);
	pr_text_u64(t, value);
}

static void seconds(struct pr_text *t, const char *before, uint64_t us)
{
	key_u64(t, before, us / 1000000);
	pr_text_add(t, ".");
	pr_text_u64_padded(t, us % 1000000, 6);
}

static void sums(struct pr_text *t, const struct prs_sums *s)
{
	key_u64(t, "{\"reads\":", s->reads);
	key_u64(t, ",\"bytes\":", s->bytes);
	key_u64(t, ",\"advised\":", s->advised);
	key_u64(t, ",\"hit\":", s->hit);
	key_u64(t, ",\"late\":", s->late);
	key_u64(t, ",\"miss\":", s->miss);
	key_u64(t, ",\"wasted\":", s->wasted);
	key_u64(t, ",\"covered\":", s->covered);
	key_u64(t, ",\"waited_ns\":", s->waited_ns);
	pr_text_add(t, "}");
}

static void compose(struct pr_text *t, const char *how, const struct prs_sums *totals,
		    const struct prs_sums *by_behaviour, const struct prs_cost *cost)
{
	const char *comma = "";

	pr_text_add(t, "{\"version\":\"" PR_VERSION "\",\"program\":");
	pr_text_json(t, prs_program);
	key_u64(t, ",\"pid\":", (uint64_t)getpid());
	pr_text_add(t, ",\"host\":");
	pr_text_json(t, prs_host);
	seconds(t, ",\"start\":", started_us);
	seconds(t, ",\"end\":", now_us());
	pr_text_add(t, ",\"exit\":");
	pr_text_json(t, how ? how : "running");
	seconds(t, ",\"waited_seconds\":", totals->waited_ns / 1000);
	pr_text_add(t, ",\"sampled\":false,\"totals\":");
	sums(t, totals);
	pr_text_add(t, ",\"by_behaviour\":{");
	for (int i = 0; i < PRD_BEHAVIOUR_COUNT; i++) {
		if (!by_behaviour[i].reads && !by_behaviour[i].advised)
			continue;
		pr_text_add(t, comma);
		pr_text_json(t, pr_behaviour_name((enum prd_behaviour)i));
		pr_text_add(t, ":");
		sums(t, &by_behaviour[i]);
		comma = ",";
	}
	key_u64(t, "},\"cost\":{\"slow_calls\":", cost->slow_calls);
	key_u64(t, ",\"slow_ns\":", cost->slow_ns);
	key_u64(t, ",\"advice_calls\":", cost->advice_calls);
	key_u64(t, ",\"advice_ns\":", cost->advice_ns);
	pr_text_add(t, "}}");
}

bool prs_stderr_unchanged(void)
{
	struct stat st;

	return prs_stat_fd(2, &st) && st.st_dev == prs_settings.stderr_dev &&
	       st.st_ino == prs_settings.stderr_ino;
}

static bool same_place(long fd)
{
	struct stat st;

	if (!prs_stat_fd(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	if (line_at >= 0)
		return st.st_dev == line_dev && st.st_ino == line_ino &&
		       st.st_size >= line_at + LINE;
	line_dev = st.st_dev;
	line_ino = st.st_ino;
	return true;
}

/*
 * The first time the line is appended, in one write, so that processes that share a file do
 * not mix; afterwards it is overwritten where it is. A file that was rotated away, cut or
 * replaced, or a pipe, gets the line anew at the end of the process.
 */
static void put(size_t length)
{
	long fd;

	fd = prs_open(prs_settings.stats, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
						  (line_at < 0 ? O_APPEND : 0));
	if (fd < 0)
		return;
	if (!same_place(fd)) {
		prs_close(fd);
		return;
	}
	if (line_at >= 0) {
		prs_put(fd, line, length, line_at);
	} else if (prs_put(fd, line, length, -1)) {
		line_at = prs_sys(SYS_lseek, fd, 0, SEEK_CUR, 0) - (long)length;
	}
	prs_close(fd);
}

void prs_report_write(const char *how, const struct prs_sums *totals,
		      const struct prs_sums *by_behaviour, const struct prs_cost *cost)
{
	bool to_stderr = !strcmp(prs_settings.stats, "-");
	uint64_t now = prs_now(), took;
	struct pr_text t;

	if (!how && (to_stderr || (now < refresh_ns && refreshes > REFRESH_FREE)))
		return;
	if (how ? !prs_try_hard(&writing) : !prs_try(&writing))
		return;
	pr_text_init(&t, line, sizeof(line));
	compose(&t, how, totals, by_behaviour, cost);
	if (to_stderr) {
		line[t.used++] = '\n';
		if (prs_stderr_unchanged())
			prs_put(2, line, t.used, -1);
	} else {
		memset(line + t.used, ' ', sizeof(line) - t.used);
		line[sizeof(line) - 1] = '\n';
		put(sizeof(line));
	}
	took = prs_now() - now;
	refresh_ns = now + took * REFRESH_SHARE;
	refreshes++;
	prs_release(&writing);
}

static void megabytes(struct pr_text *t, uint64_t value)
{
	pr_text_u64(t, value / 1000000);
	pr_text_add(t, ".");
	pr_text_u64(t, value / 100000 % 10);
	pr_text_add(t, " MB");
}

void prs_report_verdict(const struct prs_sums *s)
{
	char text[512];
	struct pr_text t;

	if (!prs_stderr_unchanged())
		return;
	pr_text_init(&t, text, sizeof(text));
	pr_text_add(&t, "preread: ");
	pr_text_shown(&t, prs_program);
	pr_text_add(&t, ": read ");
	megabytes(&t, s->bytes);
	pr_text_add(&t, ", ");
	megabytes(&t, s->covered);
	pr_text_add(&t, prs_settings.advise ? " of it advised ahead; waited "
					    : " of it would have been advised; waited ");
	seconds(&t, "", s->waited_ns / 1000);
	pr_text_add(&t, " s; ");
	if (s->advised)
		megabytes(&t, s->wasted);
	pr_text_add(&t, s->advised ? " advised for nothing\n" : "nothing was advised\n");
	prs_put(2, text, t.used, -1);
}
