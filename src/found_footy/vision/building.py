"""Putting a reader together from settings. The heavy libraries are loaded only by who looks with this machine."""

import logging
import time
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path

from found_footy.platform.addresses import host_and_port
from found_footy.platform.errors import ConfigError
from found_footy.platform.http import SafeHttp
from found_footy.vision.auto import AutoReader
from found_footy.vision.errors import ModelMissing
from found_footy.vision.llm.breaker import Breaker
from found_footy.vision.llm.prompt import PROMPT
from found_footy.vision.llm.reader import LlmOptions, LlmReader, Turn
from found_footy.vision.postponed import PostponedReader
from found_footy.vision.reader import Reader
from found_footy.vision.settings import VisionSettings

log = logging.getLogger(__name__)

LOCAL = "local"
_LIBRARIES = ("cv2", "onnxruntime", "rapidocr")
_LARGEST_ANSWER = 2**20


def build_reader(settings: VisionSettings, data_dir: Path, turn: Turn = nullcontext) -> Reader:
    """ConfigError if the choice cannot be had: no address for the model, or libraries that are not installed. `turn`
    limits how many questions are asked at once.
    """
    if looks_itself(settings):
        return local_when_needed(settings, data_dir)
    model = build_llm(settings, turn)
    if settings.reader == "llm":
        return model
    patience = settings.local_after if settings.when_down == "local" else None
    return AutoReader(model, model.breaker, patience, lambda: local_when_needed(settings, data_dir))


def looks_itself(settings: VisionSettings) -> bool:
    """Whether this machine looks, and no server is asked."""
    return settings.reader == "local" or (settings.reader == "auto" and settings.llm_url is None)


def local_when_needed(settings: VisionSettings, data_dir: Path) -> Reader:
    """Loaded with the first clip; that its libraries are there is checked now."""
    if missing := [name for name in _LIBRARIES if find_spec(name) is None]:
        raise ConfigError(_not_installed(", ".join(missing)))
    return PostponedReader(LOCAL, lambda: build_local(settings, data_dir))


def build_llm(settings: VisionSettings, turn: Turn = nullcontext) -> LlmReader:
    if settings.llm_url is None:
        raise ConfigError("the reader llm needs LLAMA_URL, the address of a vision server")
    place = host_and_port(settings.llm_url)
    key = settings.llm_key.get_secret_value() if settings.llm_key else "none"
    http = SafeHttp(
        system="vision server",
        allowed_hosts=[place],
        trusted_private=[place],
        timeout=settings.llm_timeout,
        max_bytes=_LARGEST_ANSWER,
        headers={"authorization": f"Bearer {key}"},
    )
    options = LlmOptions(settings.llm_url, settings.llm_model, settings.llm_width, _template(settings.llm_prompt))
    return LlmReader(http, options, Breaker(settings.llm_failures, settings.llm_pause, time.monotonic), turn)


def build_local(settings: VisionSettings, data_dir: Path) -> Reader:
    """With the picture model if it has been made; a damaged one is refused, not passed over."""
    try:
        import cv2  # noqa: PLC0415

        from found_footy.vision.classifier.model import Classifier  # noqa: PLC0415
        from found_footy.vision.local.ocr import Ocr  # noqa: PLC0415
        from found_footy.vision.local.reader import LocalReader  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ConfigError(_not_installed(str(error.name))) from error
    # By default it takes all cores, for every one of those who look at once.
    cv2.setNumThreads(settings.threads)
    try:
        classifier = Classifier(model_dir(settings, data_dir), threads=settings.threads)
    except ModelMissing as error:
        log.warning("%s", error, extra={"action": "vision_model_missing"})
        classifier = None
    return LocalReader(Ocr(settings.threads), classifier)


def model_dir(settings: VisionSettings, data_dir: Path) -> Path:
    """Where the picture model is kept and made."""
    return settings.model_dir or data_dir / "models"


def _not_installed(what: str) -> str:
    return f"looking with this machine needs {what}: pip install 'found-footy[vision]'"


def _template(path: Path | None) -> str:
    if path is None:
        return PROMPT
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"the prompt {path} cannot be read: {error.strerror}") from error
