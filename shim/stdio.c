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

/*
 * Not looked up by name at start: the loader binds them with everything else, for a tenth of
 * the price. Absent in other libcs.
 */
extern slot_function _IO_file_jumps[], _IO_wfile_jumps[];
extern ssize_t _IO_file_read(FILE *, void *, ssize_t) __attribute__((weak));
#pragma weak _IO_file_jumps
#pragma weak _IO_wfile_jumps

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

/* The pages of two slots: one region, for the tables are neighbours. */
static void replace(slot_function *one, slot_function *other)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), a = (uintptr_t)one,
		  b = (uintptr_t)other;
	struct region r = {.low = (a < b ? a : b) & ~(page - 1),
			   .high = ((a < b ? b : a) & ~(page - 1)) + page};

	dl_iterate_phdr(in_relro, &r);
	if (!r.found || mprotect((void *)r.low, r.high - r.low, PROT_READ | PROT_WRITE))
		return;
	libc_read = _IO_file_read;
	__atomic_store_n(one, slot_read, __ATOMIC_RELEASE);
	__atomic_store_n(other, slot_read, __ATOMIC_RELEASE);
	mprotect((void *)r.low, r.high - r.low, PROT_READ);
}

void prs_stdio_start(void)
{
	slot_function *narrow = &_IO_file_jumps[READ_SLOT], *wide = &_IO_wfile_jumps[READ_SLOT];

	if (!_IO_file_read || !_IO_file_jumps || !_IO_wfile_jumps || *narrow != _IO_file_read ||
	    *wide != _IO_file_read)
		return;
	if ((uintptr_t)narrow / 65536 != (uintptr_t)wide / 65536) {
		replace(narrow, narrow);
		replace(wide, wide);
	} else {
		replace(narrow, wide);
	}
}
