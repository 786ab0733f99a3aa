# The log and the statistics go to a file system that is full, or fills up, or is read-only. A
# library that maps its statistics there dies of SIGBUS at the first write; the program must not
# notice anything.
# shellcheck source=lib.sh
. "$TESTS/lib.sh"

if [ "${1-}" != inside ]; then
	[ "$(id -u)" = 0 ] || skip "needs root"
	need unshare mount
	unshare -m true 2>/dev/null || skip "no mount namespaces"
	exec unshare -m sh "$0" inside
fi
mount --make-rprivate /
mkdir full
mount -t tmpfs -o size=64k,nr_inodes=20 none full || skip "no tmpfs"
head -c 3000000 /dev/urandom >data

# try WHAT
try() {
	for format in text json; do
		for prog in tac "$victims/setuid"; do
			LD_PRELOAD='' "$prog" data >plain 2>&1
			PREREAD_LOG=$here/full/log PREREAD_STATS=$here/full/stats \
				PREREAD_LOG_FORMAT=$format LD_PRELOAD=$preload \
				timeout -k 2 60 "$prog" data >out 2>&1 || fail "$1: status $?"
			same "$1: output of $prog" plain out
		done
	done
}
try 'room for some'
i=0
while [ $i -lt 30 ]; do
	try 'filling up'
	i=$((i + 1))
done
head -c 1000000 /dev/zero >full/zero 2>/dev/null
try 'no block left'
i=0
while [ $i -lt 50 ] && touch "full/$i" 2>/dev/null; do i=$((i + 1)); done
rm -f full/log full/stats
try 'no inode left'
mount -o remount,ro full && try 'read-only'
umount full
