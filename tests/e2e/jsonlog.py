"""jsonlog.py LOG [BEHAVIOUR FILE]: is a JSON log well formed, with the stream it should show?"""

import json
import sys

log, *wanted = sys.argv[1:]
found = not wanted
with open(log, encoding="utf-8") as lines:
    for number, line in enumerate(lines, 1):
        event = json.loads(line)
        for key in ("time", "pid", "event"):
            if key not in event:
                sys.exit(f"{log}:{number}: no key {key}: {line}")
        if event["event"] in ("stream", "change"):
            found = found or [event.get("behaviour"), event.get("file")] == wanted
if not found:
    sys.exit(f"{log}: no stream of {wanted}")
