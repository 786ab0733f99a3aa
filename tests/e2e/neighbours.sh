# Other preload libraries beside ours, in both orders: one that reads in its constructor and its
# destructor, before ours was set up and after it was taken down, and wraps the same functions;
# and those of the trade, where they are installed.
# shellcheck source=lib.sh
. "$TESTS/lib.sh"

head -c 1000000 /dev/urandom >data

# beside LIBRARY WHAT
beside() {
	for both in "$1:$preload" "$preload:$1"; do
		for prog in "cat data" "tac data" "md5sum data"; do
			LD_PRELOAD=$1 sh -c "$prog" >alone 2>alone.err
			echo $? >>alone
			LD_PRELOAD=$both PREREAD_LOG=$here/log PREREAD_STATS=$here/stats \
				timeout -k 2 60 sh -c "$prog" >with 2>with.err
			echo $? >>with
			same "$prog, LD_PRELOAD=$both: output" alone with
			same "$prog, LD_PRELOAD=$both: stderr" alone.err with.err
		done
	done
	echo "well beside $2"
}

cc=${CC:-cc}
# shellcheck disable=SC2086 # CC may carry options
command -v ${cc%% *} >/dev/null 2>&1 || skip "no C compiler"
cat >reader.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void read_something(void)
{
	char buf[100];
	FILE *f = fopen("/proc/self/exe", "r");
	int fd = open("/proc/self/exe", O_RDONLY);

	if (!f || fd < 0 || fread(buf, 1, 100, f) != 100 || read(fd, buf, 100) != 100 ||
	    pread(fd, buf, 100, 1000) != 100 || lseek(fd, 0, SEEK_CUR) != 100)
		abort();
	close(fd);
	fclose(f);
}

__attribute__((constructor)) static void start(void)
{
	read_something();
}

__attribute__((destructor)) static void end(void)
{
	read_something();
}

ssize_t read(int fd, void *buf, size_t n)
{
	static ssize_t (*next)(int, void *, size_t);

	if (!next)
		next = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	return next(fd, buf, n);
}
END
# shellcheck disable=SC2086
$cc -shared -fPIC -o reader.so reader.c || fail "the neighbour does not compile"
beside "$here/reader.so" "a reader"
for found in /usr/lib/*/libeatmydata.so /usr/lib/*/libjemalloc.so.2 /usr/lib/*/nocache.so \
	/usr/lib/*/faketime/libfaketime.so.1 /usr/lib/*/libfakeroot/libfakeroot-sysv.so; do
	if [ -e "$found" ]; then beside "$found" "${found##*/}"; fi
done
