# Secure execution: the library must sleep. The loader drops LD_PRELOAD for setuid programs but
# not /etc/ld.so.preload, so that is tried too, on an /etc of our own in a private mount
# namespace. A log that appears betrays a library that is awake: it would be a file written with
# somebody else's rights, to a name that the caller chose.
# shellcheck source=lib.sh
. "$TESTS/lib.sh"

[ "$(id -u)" = 0 ] || skip "needs root"
need setpriv unshare mount
id nobody >/dev/null 2>&1 || skip "no user nobody"

# Not in $here: the build may lie where nobody may not look, and /tmp be mounted nosuid.
place=$(mktemp -d /var/tmp/preread-setuid.XXXXXX)
trap 'rm -rf "$place"' EXIT
chmod 755 "$place"
mkdir -m 1777 "$place/open"
cp "$victims/setuid" "$place/plain"
cp "$victims/setuid" "$place/setuid"
cp "$lib" "$place/libpreread.so"
chmod 755 "$place/plain" "$place/libpreread.so"
chmod 4755 "$place/setuid"
head -c 4194304 /dev/zero >"$place/data"
uid=$(id -u nobody)
gid=$(id -g nobody)

run() {
	log=$place/open/$1
	shift
	"$@" setpriv --reuid="$uid" --regid="$gid" --clear-groups env PREREAD_LOG="$log.log" \
		PREREAD_STATS="$log.stats" ${how:+"$how"} "$place/$prog" "$place/data" \
		>out 2>err || fail "$log: status $?: $(cat err)"
}
awake() {
	[ -e "$log.log" ] || [ -e "$log.stats" ]
}

how=
prog=setuid
run alone
mv out alone
grep -q another alone || skip "set-user-ID has no effect in /var/tmp"

how=LD_PRELOAD=$place/libpreread.so
prog=plain
run control1
awake || fail "no log from a plain program: the test is blind"
prog=setuid
run preloaded
same "output of a setuid program" alone out
! awake || fail "awake in a setuid program by LD_PRELOAD"

unshare -m true 2>/dev/null || {
	echo "no mount namespaces here: ld.so.preload not tried"
	exit 0
}
mkdir etc
cp -a /etc/. etc/ 2>/dev/null
echo "$place/libpreread.so" >etc/ld.so.preload
how=
own_etc() {
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m sh -c 'mount --make-rprivate / && mount --bind "$0" /etc && exec "$@"' \
		"$here/etc" "$@"
}
prog=plain
run control2 own_etc
awake || fail "no log by ld.so.preload: the test is blind"
prog=setuid
run ld-so-preload own_etc
same "output of a setuid program" alone out
! awake || fail "awake in a setuid program by ld.so.preload"
