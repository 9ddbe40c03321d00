"""Who looks at clips here, and whether they can; for people."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from pathlib import Path

from found_footy.platform.addresses import without_credentials
from found_footy.platform.errors import ConfigError
from found_footy.vision.building import build_llm, local_when_needed, looks_itself, model_dir
from found_footy.vision.classifier.making import FILE, is_made
from found_footy.vision.errors import VisionDenied, VisionUnavailable
from found_footy.vision.settings import VisionSettings

# For somebody who looks at a page; the reader itself waits longer.
_PATIENCE = timedelta(seconds=5)
_MAKE = "run `found-footy setup`, which makes the picture model"


@dataclass(frozen=True)
class ReaderReport:
    """`remedy` says what would make it better, even where it works."""

    ok: bool
    detail: str
    remedy: str = ""


async def reader_report(settings: VisionSettings, data_dir: Path, *, key_elsewhere: bool = False) -> ReaderReport:
    """Asks a server for its models, or checks the files of this machine's reader. Loads nothing heavy.

    With `key_elsewhere` a server that wants a key is taken to work: the worker has one, and this process does not.
    """
    if settings.reader == "accept-all":
        return ReaderReport(False, "accept-all: nobody looks, every clip passes", "unset FOOTY_VISION__READER")
    try:
        return await (_local(settings, data_dir) if looks_itself(settings) else _server(settings, key_elsewhere))
    except ConfigError as error:
        return ReaderReport(False, str(error), "clips are skipped until this is mended")


async def _server(settings: VisionSettings, key_elsewhere: bool) -> ReaderReport:
    model = build_llm(settings.model_copy(update={"llm_timeout": _PATIENCE}))
    place = f"{model.name} at {without_credentials(settings.llm_url or '')}"
    try:
        await model.ready()
    except VisionDenied as error:
        if key_elsewhere and settings.llm_key is None:
            return ReaderReport(True, f"{place}, which wants the key that only the worker has")
        return ReaderReport(False, f"{place}: {error.message}", "set LLAMA_API_KEY to a key that the server takes")
    except VisionUnavailable as error:
        return ReaderReport(False, f"{place}: {error.message}", "start the vision server, or see LLAMA_URL")
    finally:
        await model.aclose()
    return ReaderReport(True, place)


async def _local(settings: VisionSettings, data_dir: Path) -> ReaderReport:
    local_when_needed(settings, data_dir)
    folder = model_dir(settings, data_dir)
    try:
        facts = (folder / FILE).stat()
    except FileNotFoundError:
        return ReaderReport(True, "local: this machine, by the weaker rule: there is no picture model", _MAKE)
    if await asyncio.to_thread(_is_made, folder, facts.st_mtime_ns, facts.st_size):
        return ReaderReport(True, "local: this machine, with the picture model")
    return ReaderReport(False, f"local: {folder / FILE} is damaged or not ours", f"remove it and {_MAKE}")


@lru_cache(maxsize=4)
def _is_made(folder: Path, changed: int, size: int) -> bool:
    """A hundred megabytes are read again only when the file is another."""
    del changed, size
    return is_made(folder)
