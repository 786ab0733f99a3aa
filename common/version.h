/*
 * version.h - the version, once: the library's log and statistics, the command's --version
 * and the Makefile's dist read it here.
 */
#ifndef PR_VERSION_H
#define PR_VERSION_H

#define PR_VERSION "0.1.0"

#endif
