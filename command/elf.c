#include "command/command.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* As the kernel: a script's interpreter may be a script, so often. */
#define SCRIPTS_MAX 5

/* Our own ELF header, from the linker: what the library was built for, we were built for. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/* A file in memory. Nothing in it is believed: every place is checked against `size`. */
struct image {
	const char *at;
	uint64_t size;
};

/* The `length` bytes at `offset`, NULL where the file does not have them. */
static const void *piece(const struct image *image, uint64_t offset, uint64_t length)
{
	if (offset > image->size || length > image->size - offset)
		return NULL;
	return image->at + offset;
}

/* The program headers, and their number; NULL without. */
static const ElfW(Phdr) * headers(const struct image *image, unsigned *count)
{
	const ElfW(Ehdr) *e = piece(image, 0, sizeof(*e));

	*count = e->e_phnum;
	if (e->e_phentsize != sizeof(ElfW(Phdr)) || e->e_phoff % sizeof(ElfW(Addr)))
		return NULL;
	return piece(image, e->e_phoff, (uint64_t)e->e_phnum * sizeof(ElfW(Phdr)));
}

static const ElfW(Phdr) * header_of(const struct image *image, ElfW(Word) type)
{
	unsigned count, i;
	const ElfW(Phdr) *p = headers(image, &count);

	for (i = 0; p && i < count; i++)
		if (p[i].p_type == type)
			return &p[i];
	return NULL;
}

/* Where in the file an address of the loaded program lies; UINT64_MAX: nowhere. */
static uint64_t file_offset(const struct image *image, uint64_t address)
{
	unsigned count, i;
	const ElfW(Phdr) *p = headers(image, &count);

	for (i = 0; p && i < count; i++)
		if (p[i].p_type == PT_LOAD && address >= p[i].p_vaddr &&
		    address - p[i].p_vaddr < p[i].p_filesz)
			return p[i].p_offset + (address - p[i].p_vaddr);
	return UINT64_MAX;
}

/* The names of dynamic symbols and libraries, each with its NUL; NULL without. */
static const char *dynamic_names(const struct image *image, uint64_t *length)
{
	const ElfW(Phdr) *p = header_of(image, PT_DYNAMIC);
	const ElfW(Dyn) *d = NULL;
	uint64_t i, address = 0;

	*length = 0;
	if (p && p->p_offset % sizeof(ElfW(Addr)) == 0)
		d = piece(image, p->p_offset, p->p_filesz);
	for (i = 0; d && i < p->p_filesz / sizeof(*d) && d[i].d_tag != DT_NULL; i++) {
		if (d[i].d_tag == DT_STRTAB)
			address = d[i].d_un.d_ptr;
		else if (d[i].d_tag == DT_STRSZ)
			*length = d[i].d_un.d_val;
	}
	return piece(image, file_offset(image, address), *length);
}

/*
 * Built with AddressSanitizer? Whether its runtime is a library or lies in the program, the
 * program has this dynamic symbol.
 */
static bool has_asan(const struct image *image)
{
	static const char symbol[] = "\0__asan_init"; /* a whole name, with the NUL before it */
	uint64_t length;
	const char *names = dynamic_names(image, &length);

	return names && memmem(names, length, symbol, sizeof(symbol)) != NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Is it glibc's loader, by the names that it has had on all machines? */
static bool is_glibc_loader(const char *path)
{
	static const char *const starts[] = {"ld-linux", "ld64.so", "ld.so", "ld-2."};
	size_t i;

	for (i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (strncmp(base_name(path), starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

static bool is_elf(const struct image *image)
{
	return image->size >= EI_NIDENT && memcmp(image->at, ELFMAG, SELFMAG) == 0;
}

static enum cmd_kind elf_kind(const struct image *image, const char *path)
{
	const ElfW(Ehdr) *e = piece(image, 0, sizeof(*e));
	const ElfW(Phdr) * interp;
	const char *loader;

	if (!e || memcmp(e->e_ident, __ehdr_start.e_ident, EI_VERSION) != 0 ||
	    e->e_machine != __ehdr_start.e_machine)
		return CMD_KIND_FOREIGN;
	interp = header_of(image, PT_INTERP);
	/* The loader, called as a program, has no loader and still obeys LD_PRELOAD. */
	if (!interp)
		return is_glibc_loader(path) ? CMD_KIND_HELPED : CMD_KIND_STATIC;
	loader = piece(image, interp->p_offset, interp->p_filesz);
	if (!loader || !memchr(loader, '\0', interp->p_filesz) || !is_glibc_loader(loader))
		return CMD_KIND_LIBC;
	return has_asan(image) ? CMD_KIND_ASAN : CMD_KIND_HELPED;
}

/* Will the kernel tell the loader to be careful (AT_SECURE)? */
static bool is_secure(const char *path)
{
	struct statvfs mount;
	struct stat st;
	bool ignored = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
		       (statvfs(path, &mount) == 0 && (mount.f_flag & ST_NOSUID));
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (stat(path, &st) == 0 && !ignored) {
		if (st.st_mode & S_ISUID)
			uid = st.st_uid;
		if ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP))
			gid = st.st_gid;
		if (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
			return true;
	}
	return uid != getuid() || gid != getgid();
}

/* Copies the interpreter that the first line of a script names. False when it is none. */
static bool script_interpreter(const struct image *image, char *interpreter, size_t size)
{
	uint64_t at = 2, end;

	if (image->size < 3 || memcmp(image->at, "#!", 2) != 0)
		return false;
	while (at < image->size && (image->at[at] == ' ' || image->at[at] == '\t'))
		at++;
	for (end = at; end < image->size; end++)
		if (strchr(" \t\n", image->at[end])) /* and at a NUL */
			break;
	if (end == at || end - at >= size)
		return false;
	memcpy(interpreter, image->at + at, end - at);
	interpreter[end - at] = '\0';
	return true;
}

static bool map_file(const char *path, struct image *image)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	void *at = MAP_FAILED;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	image->at = at;
	image->size = (uint64_t)st.st_size;
	return at != MAP_FAILED;
}

enum cmd_kind cmd_kind_of(const char *path, char *judged, size_t size)
{
	enum cmd_kind kind = CMD_KIND_HELPED;
	int depth;

	snprintf(judged, size, "%s", path);
	for (depth = 0; depth <= SCRIPTS_MAX; depth++) {
		struct image image;
		bool script = false;

		if (map_file(judged, &image)) {
			if (is_elf(&image))
				kind = elf_kind(&image, judged);
			else
				script = script_interpreter(&image, judged, size);
			munmap((void *)(uintptr_t)image.at, image.size);
		}
		if (!script)
			break;
	}
	if (kind == CMD_KIND_HELPED && is_secure(judged))
		kind = CMD_KIND_SECURE;
	return kind;
}
