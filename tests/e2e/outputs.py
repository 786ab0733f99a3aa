"""outputs.py LIBRARY PROGRAM...: log and statistics on a standard error that cannot take them.

The program must end as if it had said nothing: not die of SIGPIPE, not wait for a reader.
"""

import fcntl
import os
import subprocess
import sys

library, *program = sys.argv[1:]
environment = dict(os.environ, LD_PRELOAD=library, PREREAD_LOG="-", PREREAD_STATS="-")


def run(what, stderr):
    done = subprocess.run(program, stdout=subprocess.DEVNULL, stderr=stderr, env=environment,
                          timeout=60, restore_signals=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{what}: status {done.returncode}")


reader, writer = os.pipe()
os.close(reader)
run("nobody reads", writer)
os.close(writer)

reader, writer = os.pipe()
flags = fcntl.fcntl(writer, fcntl.F_GETFL)
fcntl.fcntl(writer, fcntl.F_SETFL, flags | os.O_NONBLOCK)
try:
    while True:
        os.write(writer, bytes(4096))
except BlockingIOError:
    fcntl.fcntl(writer, fcntl.F_SETFL, flags)
run("the pipe is full", writer)
