#include "shim/table.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "common/text.h"
#include "shim/device.h"

#define FAR_SHIFT  12
#define FAR_CHUNKS 256 /* descriptors up to a million; further ones are not helped */

/* Smaller files are read whole by the kernel in one request or two. */
#define TINY	   (32 * 1024)
#define CALM_READS 32

uint64_t prs_fd_near[PRS_FDS_NEAR];
__thread struct prs_cursor prs_cursors[PRS_CURSORS];
__thread int prs_sample;

static uint64_t *far[FAR_CHUNKS];
static struct prs_file *files; /* uthash's head */
static unsigned fresh, hand; /* slots never used from here on; the clock's hand */

uint64_t *prs_fd_far(int fd)
{
	uint64_t *chunk;

	if (fd < PRS_FDS_NEAR)
		return fd < 0 ? NULL : &prs_fd_near[fd];
	if ((unsigned)fd >> FAR_SHIFT >= FAR_CHUNKS)
		return NULL;
	chunk = __atomic_load_n(&far[(unsigned)fd >> FAR_SHIFT], __ATOMIC_ACQUIRE);
	return chunk ? &chunk[(unsigned)fd & ((1u << FAR_SHIFT) - 1)] : NULL;
}

/* The same, and makes room for it. */
static uint64_t *fd_entry(int fd)
{
	uint64_t *entry = prs_fd_far(fd), **slot, *none = NULL;
	size_t bytes = sizeof(uint64_t) << FAR_SHIFT;
	void *map;

	if (entry || fd < 0 || (unsigned)fd >> FAR_SHIFT >= FAR_CHUNKS)
		return entry;
	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return NULL;
	slot = &far[(unsigned)fd >> FAR_SHIFT];
	if (!__atomic_compare_exchange_n(slot, &none, (uint64_t *)map, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		munmap(map, bytes);
	return prs_fd_far(fd);
}

static uint64_t next_generation(uint64_t word)
{
	return ((word & 0xfffffe00u) + 0x200) &
	       0xffffffffu; /* UNKNOWN, no calm reads, no file */
}

static void forget_entry(uint64_t *entry)
{
	uint64_t word = __atomic_load_n(entry, __ATOMIC_RELAXED);

	/* Never used since it was last forgotten: spare the line. */
	if (PRS_KIND(word) == PRS_UNKNOWN && !PRS_CALM(word))
		return;
	__atomic_store_n(entry, next_generation(word), __ATOMIC_RELAXED);
}

/* Entered like the slow path, for getpid() is a call of ours: a sandbox waits for it. */
static bool may_forget(bool *entered)
{
	*entered = !prs_inside;
	if (*entered ? !prs_enter() : !prs_live)
		return false;
	/* In a vfork child the descriptors are its own, but this memory is its parent's. */
	if (prs_is_own_process())
		return true;
	if (*entered)
		prs_leave();
	return false;
}

void prs_forget(int fd)
{
	uint64_t *entry = prs_fd_far(fd);
	bool entered;

	if (!prs_live || !entry || !__atomic_load_n(entry, __ATOMIC_RELAXED) ||
	    !may_forget(&entered))
		return;
	forget_entry(entry);
	if (entered)
		prs_leave();
}

void prs_forget_range(unsigned first, unsigned last)
{
	unsigned end = FAR_CHUNKS << FAR_SHIFT;
	bool entered;

	if (!may_forget(&entered))
		return;
	for (unsigned fd = first; fd <= last && fd < end; fd++) {
		uint64_t *entry = prs_fd_far((int)fd);

		if (entry)
			forget_entry(entry);
		else
			fd |= (1u << FAR_SHIFT) - 1;
	}
	if (entered)
		prs_leave();
}

uint64_t prs_set_kind(int fd, uint64_t word, enum prs_kind kind)
{
	uint64_t *entry = fd_entry(fd), wanted = (word & ~(uint64_t)0x1ff) | kind;

	if (!entry || !__atomic_compare_exchange_n(entry, &word, wanted, false,
						   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return PRS_OTHER;
	return wanted;
}

void prs_count_calm(int fd, uint64_t word)
{
	uint64_t *entry = fd_entry(fd), wanted = word + 8;

	if (!entry)
		return;
	if (PRS_CALM(wanted) >= CALM_READS)
		wanted = (word & ~(uint64_t)0x1ff) | PRS_DORMANT;
	__atomic_compare_exchange_n(entry, &word, wanted, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
}

void prs_place(int fd, uint64_t word, uint64_t position)
{
	struct prs_cursor *cursor = prs_cursor(fd);
	const struct prd_quiet *q;

	cursor->word = word;
	cursor->left = 0;
	if (prd_before(&prs_front, PRS_FILE_OF(word), position, 1))
		return;
	q = prd_quiet_slot(&prs_front, PRS_FILE_OF(word), position);
	cursor->left = (int64_t)(__atomic_load_n(&q->hi, __ATOMIC_RELAXED) - position);
}

void prs_path(int fd, char *out, size_t size)
{
	char link[40];
	struct pr_text t;
	long length;

	pr_text_init(&t, link, sizeof(link));
	pr_text_add(&t, "/proc/self/fd/");
	pr_text_i64(&t, fd);
	length = prs_sys(SYS_readlinkat, AT_FDCWD, (long)link, (long)out, (long)size - 1);
	out[length > 0 && length < (long)size - 1 ? length : 0] = '\0';
}

bool prs_same_file(int fd, const struct prs_key *key, uint64_t *size)
{
	struct stat st;

	if (!prs_stat_fd(fd, &st) || st.st_dev != key->dev || st.st_ino != key->ino)
		return false;
	*size = st.st_size > 0 ? (uint64_t)st.st_size : 0;
	return true;
}

static bool wanted_by_name(int fd)
{
	const struct pr_config *c = &prs_settings.config;
	static char path[4096]; /* under the lock */

	if (!c->include && !c->exclude)
		return true;
	prs_path(fd, path, sizeof(path));
	if (c->exclude && pr_globs_match(c->exclude, path))
		return false;
	return !c->include || pr_globs_match(c->include, path);
}

static struct prs_file *free_slot(void)
{
	unsigned count;
	struct prs_file *slots = prs_file_slots(&count), *f;

	if (fresh < count)
		return &slots[fresh++];
	for (;;) {
		f = &slots[hand];
		hand = (hand + 1) % count;
		if (!f->recent)
			break;
		f->recent = false;
	}
	if (f->hh.tbl) /* not so if its insertion failed */
		HASH_DEL(files, f);
	return f;
}

static struct prs_file *find_file(const struct prs_key *key)
{
	struct prs_file *f;

	HASH_FIND(hh, files, key, sizeof(*key), f);
	if (f)
		return f;
	f = free_slot();
	*f = (struct prs_file){.key = *key, .id = f->used ? f->id + PRS_FILES : 0};
	if (!f->id) {
		unsigned count;

		f->id = (uint32_t)(f - prs_file_slots(&count));
	}
	f->used = true;
	HASH_ADD(hh, files, key, sizeof(*key), f);
	return f;
}

/* What is not for us: L, but also what its name excludes. */
static enum prs_kind kind_of(int fd, const struct stat *st, struct prs_device **device)
{
	long flags;

	if (!S_ISREG(st->st_mode) || (st->st_size < TINY && !prs_settings.exact))
		return PRS_OTHER;
	*device = prs_device_of(fd, st->st_dev);
	flags = prs_sys(SYS_fcntl, fd, F_GETFL, 0, 0);
	if (st->st_size >= TINY && (*device)->helpable && flags >= 0 && !(flags & O_DIRECT) &&
	    wanted_by_name(fd))
		return PRS_FILE;
	return prs_settings.exact && (*device)->data ? PRS_COUNTED : PRS_OTHER;
}

uint64_t prs_learn(int fd, uint64_t word)
{
	struct prs_device *device = NULL;
	struct prs_file *f;
	enum prs_kind kind;
	struct stat st;

	if (!prs_stat_fd(fd, &st))
		return PRS_OTHER;
	kind = kind_of(fd, &st, &device);
	if (kind == PRS_FILE && !prs_arena())
		kind = PRS_OTHER;
	if (kind != PRS_FILE)
		return prs_set_kind(fd, word, kind);
	f = find_file(&(struct prs_key){st.st_dev, st.st_ino});
	f->device = device;
	f->size = (uint64_t)st.st_size;
	if (f->no_effect)
		return prs_set_kind(fd, word, prs_settings.exact ? PRS_COUNTED : PRS_OTHER);
	if (word >> 32 != f->id) {
		uint64_t *entry = fd_entry(fd),
			 wanted = (word & 0xffffffffu) | (uint64_t)f->id << 32;

		if (!entry || !__atomic_compare_exchange_n(entry, &word, wanted, false,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return PRS_OTHER;
		word = wanted;
	}
	return prs_set_kind(fd, word, PRS_FILE);
}

struct prs_file *prs_file_of(uint64_t word)
{
	unsigned count;
	struct prs_file *slots = prs_file_slots(&count);
	struct prs_file *f = slots ? &slots[PRS_FILE_OF(word) % count] : NULL;

	/* A word of another kind names no file, and its number is 0: the first slot's. */
	if (PRS_KIND(word) != PRS_FILE && PRS_KIND(word) != PRS_DORMANT)
		return NULL;
	if (!f || !f->used || f->id != PRS_FILE_OF(word))
		return NULL;
	f->recent = true;
	return f;
}
