# shellcheck disable=SC2016 # scripts for inner shells
# The command and the real library with what users get wrong: the program runs on wherever that
# makes sense, with its own status, and nobody but the command says a word. (tests/command goes
# through the command's own messages, with a library that does nothing.)
# shellcheck source=lib.sh
. "$TESTS/lib.sh"

head -c 300000 /dev/urandom >data
# A folder whose name needs escaping, and a path longer than a line of the log would like.
long=$(printf '%0200d' 0)
i=0
while [ $i -lt 15 ]; do
	long=$long/$(printf '%0200d' $i)
	i=$((i + 1))
done
odd=$(printf 'odd \\ na\tme\nof "it"')
mkdir -p "$odd" "$long"
cp data "$odd/data"
cp data "$long/data"
wrong=

# try WHAT STATUS SAID COMMAND...: SAID is a part of what must stand on stderr; empty: nothing
try() {
	what=$1 wanted=$2 said=$3
	shift 3
	timeout -k 2 60 "$@" >out 2>err </dev/null
	status=$?
	[ $status = "$wanted" ] || wrong="$wrong [$what: status $status, not $wanted]"
	if [ -n "$said" ]; then
		grep -qF -e "$said" err || wrong="$wrong [$what: said '$(head -n 3 err)']"
	else
		[ ! -s err ] || wrong="$wrong [$what: said '$(head -n 3 err)']"
	fi
}

# Status and signals are the program's own.
for n in 0 1 7 125 126 127 255; do
	try "exit $n" $n '' "$cmd" -- sh -c "exit $n"
done
try 'SIGTERM' 143 Terminated sh -c '"$0" -- sh -c "kill -TERM \$\$"; exit $?' "$cmd"
try 'SIGKILL' 137 Killed sh -c '"$0" -- sh -c "kill -KILL \$\$"; exit $?' "$cmd"
try 'SIGPIPE' 0 '' sh -c '"$0" -- cat "$1" "$1" "$1" | head -c 10 >/dev/null' "$cmd" data
# The command becomes the program.
try 'the pid stays' 0 '' sh -c '[ $$ = "$(exec "$0" -- sh -c "echo \$PPID")" ]' "$cmd"
try 'an empty PATH' 0 '' env PATH= "$cmd" -- /bin/true
try 'missing program' 127 nowhere "$cmd" -- /nowhere/at/all
try 'a folder' 126 / "$cmd" -- /
try 'not executable' 126 data "$cmd" -- "$here/data"
try 'no program' 125 preread "$cmd"
try 'unknown option' 125 frobnicate "$cmd" --frobnicate true
try 'bad mode' 125 banana "$cmd" --mode banana true
try '--' 0 '' "$cmd" -- cat -- data
same 'preread -- cat -- data' data out
try '--help' 0 '' "$cmd" --help
grep -q -- --window-max out || wrong="$wrong [--help without --window-max]"
try '--version' 0 '' "$cmd" --version
grep -qE '^preread [0-9]+\.[0-9]+\.[0-9]+' out || wrong="$wrong [--version: $(cat out)]"

# Said once by the command, and the program runs.
try 'unknown variable' 3 PREREAD_FROBNICATE env PREREAD_FROBNICATE=1 "$cmd" -- sh -c 'exit 3'
try 'bad variable' 3 PREREAD_BUDGET env PREREAD_BUDGET=12Q "$cmd" -- sh -c 'exit 3'
try 'unwritable log' 3 /nowhere "$cmd" --log /nowhere/log -- sh -c 'exit 3'
try 'unwritable statistics' 3 /nowhere "$cmd" --stats /nowhere/stats -- sh -c 'exit 3'
mkdir -p taken
try 'the log is a folder' 3 taken "$cmd" --log "$here/taken" -- sh -c 'exit 3'
# The library alone says nothing of it.
for setting in FROBNICATE=1 BUDGET=12Q LOG=/nowhere/log STATS=/nowhere/stats MODE=banana \
	LOG="$here/taken" LOG=%z 'LOG=%{' WINDOW_MIN=99999999999999999999 'PATTERNS=,,-,' \
	INCLUDE=: EXCLUDE='[' LOG_FORMAT=xml STDIO=maybe CONTEXT_MEMORY=1 CONTEXT_MEMORY=0; do
	try "library, $setting" 0 '' env "PREREAD_$setting" LD_PRELOAD="$preload" cat data
	same "library, $setting" data out
done

# A log cannot lead elsewhere, through a link that somebody put there.
ln -s "$here/elsewhere" link
try 'the log is a link' 0 '' env PREREAD_LOG="$here/link" PREREAD_STATS="$here/link" \
	LD_PRELOAD="$preload" cat data
[ ! -e elsewhere ] || wrong="$wrong [wrote through a link]"

# One log of many processes; whole lines; names of files are escaped and never cut.
for file in "$odd/data" "$long/data"; do
	for format in text json; do
		rm -f log stats
		for i in 1 2 3 4 5 6; do
			PREREAD_LOG=$here/log PREREAD_STATS=$here/stats PREREAD_LOG_FORMAT=$format \
				LD_PRELOAD=$preload "$victims/setuid" "$here/$file" >out$i &
		done
		wait
		if [ ! -s log ] || [ "$(grep -c '^{.*} *$' stats)" != 6 ]; then
			wrong="$wrong [six processes, $format: no log, or not 6 lines of statistics]"
			continue
		fi
		if [ $format = text ]; then
			check_log log
		else
			"$python" "$TESTS/e2e/jsonlog.py" log >/dev/null || wrong="$wrong [json log]"
		fi
		if [ "$file" = "$long/data" ] && ! grep -qF "$here/$file" log; then
			wrong="$wrong [the long name is not in the log, $format]"
		fi
		[ "$(stat -c %a log)" = 600 ] || wrong="$wrong [log has mode $(stat -c %a log)]"
	done
done
# File names with the process, the host, the program and a variable.
try 'names of files' 0 '' env WHO=me PREREAD_LOG="$here/log-%p-%e-%{WHO}-%%" \
	LD_PRELOAD="$preload" "$victims/setuid" "$here/data"
find . -name 'log-*-setuid-me-%' | grep -q . ||
	wrong="$wrong [log's name: $(find . -name 'log-*' | head -n 3)]"

# A static program runs, unhelped, and is said to be so.
if echo 'int main(void) { return 5; }' | ${CC:-cc} -static -x c -o static - 2>/dev/null; then
	try 'static program' 5 static "$cmd" -- ./static
fi
# The command without its library.
mkdir alone
cp "$cmd" alone/preread
try 'missing library' 125 libpreread.so alone/preread true
[ -z "$wrong" ] || fail "$wrong"
