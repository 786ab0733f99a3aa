#include "shim/budget.h"

#include <string.h>
#include "common/text.h"
#include "shim/proc.h"
#include "shim/shim.h"

/* Memory is looked at so often, but never for more than a hundredth of the time. */
#define AGAIN_NS    1000000000u
#define AGAIN_SHARE 100
/* However much memory there is, a program's read-ahead has no use for more. */
#define MOST ((uint64_t)1 << 30)

static uint64_t budget = 16 << 20;
static uint64_t due_ns; /* when to look again */

/* Whoever looks has these to itself. Not on the stack, which may be a small one. */
static int looking;
static char groups[4096]; /* of this process */
static char text[4096]; /* a file's content */
static char path[4096];

/* Where the memory figures of a hierarchy are, and what they are called. */
struct hierarchy {
	const char *root, *limit, *used, *inactive;
};

static const struct hierarchy v1 = {"/sys/fs/cgroup/memory", "/memory.limit_in_bytes",
				    "/memory.usage_in_bytes", "total_inactive_file "};
static const struct hierarchy v2 = {"/sys/fs/cgroup", "/memory.max", "/memory.current",
				    "inactive_file "};

static bool slurp_in(const struct hierarchy *h, const char *group, size_t length,
		     const char *name)
{
	struct pr_text t;

	pr_text_init(&t, path, sizeof(path));
	pr_text_add(&t, h->root);
	pr_text_add_bytes(&t, group, length);
	pr_text_add(&t, name);
	return !t.cut && prs_slurp(path, text, sizeof(text));
}

/* What one cgroup has to spare: limit - used + what it could give back at once. */
static uint64_t spare_in(const struct hierarchy *h, const char *group, size_t length)
{
	uint64_t limit, used, inactive;

	if (!slurp_in(h, group, length, h->limit) || text[0] == 'm')
		return UINT64_MAX;
	limit = prs_number(text);
	if (!limit || limit > UINT64_MAX / 4 || !slurp_in(h, group, length, h->used))
		return UINT64_MAX;
	used = prs_number(text);
	inactive = slurp_in(h, group, length, "/memory.stat") ? prs_labelled(text, h->inactive)
							      : 0;
	used -= inactive < used ? inactive : used;
	return limit > used ? limit - used : 0;
}

/* The least of a cgroup and all above it. `group` is "/a/b"; in a namespace it may be "/". */
static uint64_t spare_above(const struct hierarchy *h, const char *group, size_t length)
{
	uint64_t least = UINT64_MAX, spare;

	for (;;) {
		while (length && group[length - 1] == '/')
			length--;
		spare = spare_in(h, group, length);
		least = spare < least ? spare : least;
		if (!length)
			return least;
		while (length && group[length - 1] != '/')
			length--;
	}
}

static uint64_t spare_in_cgroups(void)
{
	uint64_t least = UINT64_MAX, spare;

	if (!prs_slurp("/proc/self/cgroup", groups, sizeof(groups)))
		return least;
	for (char *line = groups, *next; line && *line; line = next) {
		char *list, *group;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		list = strchr(line, ':');
		group = list ? strchr(list + 1, ':') : NULL;
		if (!group)
			continue;
		*group++ = '\0';
		if (list[1] && !strstr(list + 1, "memory"))
			continue;
		spare = spare_above(list[1] ? &v1 : &v2, group, strlen(group));
		least = spare < least ? spare : least;
	}
	return least;
}

static void look(void)
{
	const struct pr_config *c = &prs_settings.config;
	uint64_t spare = spare_in_cgroups(), available;

	if (prs_slurp("/proc/meminfo", text, sizeof(text))) {
		available = prs_labelled(text, "MemAvailable:") * 1024;
		spare = available < spare ? available : spare;
	}
	if (spare == UINT64_MAX)
		return; /* nothing could be read: what we had goes on */
	spare = spare / 100 * c->budget_percent;
	__atomic_store_n(&budget, spare < MOST ? spare : MOST, __ATOMIC_RELAXED);
}

uint64_t prs_budget(uint64_t now_ns)
{
	const struct pr_config *c = &prs_settings.config;
	uint64_t took;

	if (!c->budget_percent)
		return c->budget_bytes;
	if (now_ns >= __atomic_load_n(&due_ns, __ATOMIC_RELAXED) && prs_try(&looking)) {
		look();
		took = (prs_now() - now_ns) * AGAIN_SHARE;
		__atomic_store_n(&due_ns, now_ns + (took > AGAIN_NS ? took : AGAIN_NS),
				 __ATOMIC_RELAXED);
		prs_release(&looking);
	}
	return __atomic_load_n(&budget, __ATOMIC_RELAXED);
}
