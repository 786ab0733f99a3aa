/*
 * stdio.c - all of stdio's reads through one slot.
 *
 * Every buffered read of glibc ends in the slot `__read` of a table of function pointers,
 * _IO_file_jumps or its wide twin. glibc checks where a FILE's pointer to its table points,
 * not what the table holds. So the slot is replaced by ours - if it holds exactly what it
 * should, if its whole page is one that the loader made read-only after relocation (so that
 * making it read-only again takes nothing away), and if the kernel lets us. Otherwise stdio is
 * left alone: nothing is guessed. PREREAD_STDIO=off does without.
 */
#include "shim/shim.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "shim/gate.h"
#include "shim/real.h"

#define READ_SLOT 14 /* of the tables, in words: stable since glibc 2.1 */

typedef ssize_t (*slot_function)(FILE *, void *, ssize_t);

static slot_function libc_read;

static ssize_t slot_read(FILE *f, void *buffer, ssize_t size)
{
	int fd = f->_fileno;
	uint64_t from, to;
	ssize_t done;

	if (!prs_trips(fd, (size_t)size))
		return libc_read(f, buffer, size);
	from = prs_now();
	done = libc_read(f, buffer, size);
	to = prs_now();
	prs_observe(fd, PRS_AT_POSITION, (size_t)size, done, from, to);
	return done;
}

struct region {
	uintptr_t low, high;
	bool found;
};

/* Is the region wholly inside what the loader protects after relocation? */
static int in_relro(struct dl_phdr_info *info, size_t size, void *data)
{
	struct region *r = data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO && r->low >= start &&
		    r->high <= start + info->dlpi_phdr[i].p_memsz)
			r->found = true;
	}
	return r->found;
}

static void replace(const char *table, slot_function expected)
{
	slot_function *slots = (slot_function *)dlsym(RTLD_DEFAULT, table);
	uintptr_t page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
	struct region page = {0};

	if (!slots || slots[READ_SLOT] != expected)
		return;
	page.low = (uintptr_t)&slots[READ_SLOT] & ~(page_size - 1);
	page.high = page.low + page_size;
	dl_iterate_phdr(in_relro, &page);
	if (!page.found)
		return;
	if (mprotect((void *)page.low, page_size, PROT_READ | PROT_WRITE))
		return;
	libc_read = expected;
	__atomic_store_n(&slots[READ_SLOT], slot_read, __ATOMIC_RELEASE);
	mprotect((void *)page.low, page_size, PROT_READ);
}

void prs_stdio_start(void)
{
	slot_function expected = (slot_function)dlsym(RTLD_DEFAULT, "_IO_file_read");

	if (!expected)
		return;
	replace("_IO_file_jumps", expected);
	replace("_IO_wfile_jumps", expected);
}
