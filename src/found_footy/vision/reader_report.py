"""Reports which reader checks clips, and whether it works; for people."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from pathlib import Path

from found_footy.platform.errors import ConfigError
from found_footy.platform.settings.addresses import redact_credentials
from found_footy.vision.classifier.builder import MODEL_FILE, is_model_built
from found_footy.vision.errors import VisionDenied, VisionUnavailable
from found_footy.vision.reader_factory import (
    build_lazy_local_reader,
    build_llm_reader,
    is_local_reader,
    resolve_model_dir,
)
from found_footy.vision.settings import VisionSettings

# Short, because somebody waits for a page; the reader itself waits longer.
_SERVER_CHECK_TIMEOUT = timedelta(seconds=5)
_SETUP_HINT = "run `found-footy setup`, which builds the picture model"


@dataclass(frozen=True)
class ReaderReport:
    """`remedy` says what would improve it, even where it works."""

    ok: bool
    detail: str
    remedy: str = ""


async def check_reader(settings: VisionSettings, data_dir: Path, *, is_key_elsewhere: bool = False) -> ReaderReport:
    """Ask a server for its models, or check the files of the local reader. Loads nothing heavy.

    With `is_key_elsewhere` a server that requires a key counts as working: the worker has the key, and this process
    does not.
    """
    if settings.reader == "accept-all":
        return ReaderReport(False, "accept-all: clips are not checked, all are accepted", "unset FOOTY_VISION__READER")
    try:
        return await (
            _check_local_reader(settings, data_dir)
            if is_local_reader(settings)
            else _check_llm_server(settings, is_key_elsewhere)
        )
    except ConfigError as error:
        return ReaderReport(False, str(error), "clips are not checked until this is corrected")


async def _check_llm_server(settings: VisionSettings, is_key_elsewhere: bool) -> ReaderReport:
    model = build_llm_reader(settings.model_copy(update={"llm_timeout": _SERVER_CHECK_TIMEOUT}))
    place = f"{model.name} at {redact_credentials(settings.llm_url or '')}"
    try:
        await model.check_ready()
    except VisionDenied as error:
        if is_key_elsewhere and settings.llm_key is None:
            return ReaderReport(True, f"{place}, which requires the key that only the worker has")
        return ReaderReport(False, f"{place}: {error.message}", "set LLAMA_API_KEY to a key that the server accepts")
    except VisionUnavailable as error:
        return ReaderReport(False, f"{place}: {error.message}", "start the vision server, or correct LLAMA_URL")
    finally:
        await model.aclose()
    return ReaderReport(True, place)


async def _check_local_reader(settings: VisionSettings, data_dir: Path) -> ReaderReport:
    build_lazy_local_reader(settings, data_dir)
    folder = resolve_model_dir(settings, data_dir)
    try:
        facts = (folder / MODEL_FILE).stat()
    except FileNotFoundError:
        return ReaderReport(True, "local: this machine, by the weaker rule: there is no picture model", _SETUP_HINT)
    if await asyncio.to_thread(_is_model_built, folder, facts.st_mtime_ns, facts.st_size):
        return ReaderReport(True, "local: this machine, with the picture model")
    return ReaderReport(
        False, f"local: {folder / MODEL_FILE} is damaged or another file", f"remove it and {_SETUP_HINT}"
    )


@lru_cache(maxsize=4)
def _is_model_built(folder: Path, changed: int, size: int) -> bool:
    """A hundred megabytes are read again only if the file changed."""
    del changed, size
    return is_model_built(folder)
