"""The one platform of a test run, as a process: `shared_platform.py <run directory>`.

It ends with the run, however that ends: the run holds the pipe `alive` open for writing, and the kernel closes it.
Only then is the directory removed, so nothing is left behind by a run that was killed.
"""

import asyncio
import os
import shutil
import sys
from pathlib import Path

from found_footy.embedded.supervisor import Supervisor
from found_footy.platform.mongo import connect


async def run_is_over(run: Path) -> None:
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    pipe = os.open(run / "alive", os.O_RDONLY | os.O_NONBLOCK)
    loop.add_reader(pipe, over.set)
    await over.wait()
    loop.remove_reader(pipe)
    os.close(pipe)


async def serve(run: Path) -> None:
    over = asyncio.create_task(run_is_over(run))
    serving = asyncio.create_task(keep_platform(run / "data"))
    await asyncio.wait({over, serving}, return_when=asyncio.FIRST_COMPLETED)
    if serving.done():
        serving.result()
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)


async def keep_platform(data_dir: Path) -> None:
    async with Supervisor(data_dir, abrupt=True) as platform:
        await stop_ttl_monitor(platform.endpoints.mongodb_uri)
        await platform.wait()


async def stop_ttl_monitor(mongodb_uri: str) -> None:
    """Tests set the time themselves: once a minute MongoDB would delete, by its own clock, documents that expire."""
    async with connect(mongodb_uri, "admin") as database:
        await database.command("setParameter", 1, ttlMonitorEnabled=False)


def main(run: Path) -> None:
    asyncio.run(serve(run))
    shutil.rmtree(run)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
