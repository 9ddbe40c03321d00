"""A whole platform and a worker under a supervisor in a process of its own, to be killed by a test."""

import asyncio
import sys
from pathlib import Path

from found_footy.embedded.programs import ProgramSpec
from found_footy.embedded.supervisor import Supervisor


async def main(data_dir: Path) -> None:
    async with Supervisor(data_dir) as platform:
        worker = (sys.executable, "-c", "import time; time.sleep(600)", str(data_dir))
        await platform.run_program(ProgramSpec("worker", worker))
        (data_dir / "all-running").touch()
        await platform.wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
