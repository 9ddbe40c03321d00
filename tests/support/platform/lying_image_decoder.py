"""A program in the place of an image decoder that was taken over: it answers and leaves what the script in its source
says. `SOURCE FOLDER …`; behind a PNG's signature the source holds JSON: `answer`, and `files` by name.
"""

import json
import os
import signal
import sys
from pathlib import Path

_SIGNATURE_BYTES = 8


def main(arguments: list[str]) -> int:
    script = json.loads(Path(arguments[0]).read_bytes()[_SIGNATURE_BYTES:])
    for name, content in script.get("files", {}).items():
        (Path(arguments[1]) / name).write_bytes(bytes.fromhex(content))
    if "signal" in script:
        os.kill(os.getpid(), signal.Signals[script["signal"]])
    if "spin" in script:
        while True:
            pass
    sys.stdout.write(script.get("text", json.dumps(script.get("answer"))))
    return 0
