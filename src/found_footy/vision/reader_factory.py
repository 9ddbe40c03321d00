"""Builds a reader from settings. Only the local reader loads the heavy libraries."""

import time
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path

from found_footy.platform.errors import ConfigError
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.logs import ActionLogger
from found_footy.platform.settings.addresses import host_and_port
from found_footy.vision.auto_reader import AutoReader
from found_footy.vision.errors import ModelMissing
from found_footy.vision.lazy_reader import LazyReader
from found_footy.vision.llm.circuit_breaker import CircuitBreaker
from found_footy.vision.llm.prompt import PROMPT_TEMPLATE
from found_footy.vision.llm.reader import LeaseFactory, LlmOptions, LlmReader
from found_footy.vision.reader import VisionReader
from found_footy.vision.settings import VisionSettings

logger = ActionLogger(__name__)

LOCAL_READER = "local"
_LOCAL_LIBRARIES = ("cv2", "onnxruntime", "rapidocr")
_MAX_RESPONSE_BYTES = 2**20


def build_reader(settings: VisionSettings, data_dir: Path, acquire_lease: LeaseFactory = nullcontext) -> VisionReader:
    """Raises ConfigError if the reader cannot be built: no server address, or libraries that are not installed.
    `acquire_lease` limits concurrent requests.
    """
    if is_local_reader(settings):
        return build_lazy_local_reader(settings, data_dir)
    model = build_llm_reader(settings, acquire_lease)
    if settings.reader == "llm":
        return model
    fallback_after = settings.local_after if settings.when_down == "local" else None
    return AutoReader(model, model.breaker, fallback_after, lambda: build_lazy_local_reader(settings, data_dir))


def is_local_reader(settings: VisionSettings) -> bool:
    """Whether clips are checked on this machine, without a server."""
    return settings.reader == "local" or (settings.reader == "auto" and settings.llm_url is None)


def build_lazy_local_reader(settings: VisionSettings, data_dir: Path) -> VisionReader:
    """Loads with the first clip; whether its libraries are installed is checked now."""
    if missing := [name for name in _LOCAL_LIBRARIES if find_spec(name) is None]:
        raise ConfigError(_format_missing_libraries(", ".join(missing)))
    return LazyReader(LOCAL_READER, lambda: build_local_reader(settings, data_dir))


def build_llm_reader(settings: VisionSettings, acquire_lease: LeaseFactory = nullcontext) -> LlmReader:
    if settings.llm_url is None:
        raise ConfigError("the reader llm needs LLAMA_URL, the address of a vision server")
    place = host_and_port(settings.llm_url)
    key = settings.llm_key.get_secret_value() if settings.llm_key else "none"
    http = SafeHttpClient(
        system="vision server",
        allowed_hosts=[place],
        trusted_private=[place],
        timeout=settings.llm_timeout,
        max_bytes=_MAX_RESPONSE_BYTES,
        headers={"authorization": f"Bearer {key}"},
    )
    options = LlmOptions(
        settings.llm_url, settings.llm_model, settings.llm_width, _load_prompt_template(settings.llm_prompt)
    )
    return LlmReader(
        http, options, CircuitBreaker(settings.llm_failures, settings.llm_pause, time.monotonic), acquire_lease
    )


def build_local_reader(settings: VisionSettings, data_dir: Path) -> VisionReader:
    """Uses the image classifier if it has been built; a damaged one raises an error instead of being skipped."""
    try:
        import cv2  # noqa: PLC0415

        from found_footy.vision.classifier.image_classifier import ImageClassifier  # noqa: PLC0415
        from found_footy.vision.local.ocr import RapidOcrRecognizer  # noqa: PLC0415
        from found_footy.vision.local.reader import LocalReader  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ConfigError(_format_missing_libraries(str(error.name))) from error
    # By default OpenCV uses all cores, for every concurrent reader.
    cv2.setNumThreads(settings.threads)
    try:
        classifier = ImageClassifier(resolve_model_dir(settings, data_dir), threads=settings.threads)
    except ModelMissing as error:
        logger.warning("%s", error, action="vision_model_missing")
        classifier = None
    return LocalReader(RapidOcrRecognizer(settings.threads), classifier)


def resolve_model_dir(settings: VisionSettings, data_dir: Path) -> Path:
    """The folder in which the image classifier is built and loaded."""
    return settings.model_dir or data_dir / "models"


def _format_missing_libraries(what: str) -> str:
    return f"the local reader needs {what}: pip install 'found-footy[vision]'"


def _load_prompt_template(path: Path | None) -> str:
    if path is None:
        return PROMPT_TEMPLATE
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"the prompt {path} cannot be read: {error.strerror}") from error
