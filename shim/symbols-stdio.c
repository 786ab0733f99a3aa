/*
 * symbols-stdio.c - what makes and ends the descriptors of buffered files. Their reads go
 * through the slot (stdio.c); libc opens and closes inside, where no wrapper sees it.
 */
#include <stdio.h>
#include <stdlib.h>
#include "shim/symbols.h"

static FILE *made(FILE *f)
{
	if (f)
		prs_forget(f->_fileno);
	return f;
}

EXPORT FILE *fopen(const char *path, const char *mode)
{
	return made(prs_real()->fopen(path, mode));
}

EXPORT FILE *fopen64(const char *path, const char *mode)
{
	return made(prs_real()->fopen64(path, mode));
}

EXPORT FILE *freopen(const char *path, const char *mode, FILE *f)
{
	made(f);
	return made(prs_real()->freopen(path, mode, f));
}

EXPORT FILE *freopen64(const char *path, const char *mode, FILE *f)
{
	made(f);
	return made(prs_real()->freopen64(path, mode, f));
}

EXPORT int fclose(FILE *f)
{
	made(f);
	if (f && f->_fileno == 2)
		prs_stderr_closes();
	return prs_real()->fclose(f);
}

EXPORT int fcloseall(void)
{
	int result = prs_real()->fcloseall();

	/* Which descriptors were files is not known; forgetting is always right. */
	prs_forget_range(0, ~0u);
	return result;
}

EXPORT FILE *tmpfile(void)
{
	return made(prs_real()->tmpfile());
}

EXPORT FILE *tmpfile64(void)
{
	return made(prs_real()->tmpfile64());
}

EXPORT int mkostemps(char *name, int suffix, int flags)
{
	return opened(prs_real()->mkostemps(name, suffix, flags));
}

EXPORT int mkostemps64(char *name, int suffix, int flags)
{
	return opened(prs_real()->mkostemps64(name, suffix, flags));
}

EXPORT int mkstemp(char *name)
{
	return opened(prs_real()->mkostemps(name, 0, 0));
}

EXPORT int mkstemp64(char *name)
{
	return opened(prs_real()->mkostemps64(name, 0, 0));
}

EXPORT int mkostemp(char *name, int flags)
{
	return opened(prs_real()->mkostemps(name, 0, flags));
}

EXPORT int mkostemp64(char *name, int flags)
{
	return opened(prs_real()->mkostemps64(name, 0, flags));
}

EXPORT int mkstemps(char *name, int suffix)
{
	return opened(prs_real()->mkostemps(name, suffix, 0));
}

EXPORT int mkstemps64(char *name, int suffix)
{
	return opened(prs_real()->mkostemps64(name, suffix, 0));
}
