"""Builds the classifier that the settings name. Nothing is loaded or requested yet."""

from pathlib import Path

from found_footy.platform.errors import ConfigError
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.settings.addresses import host_and_port
from found_footy.uploads.classifiers.classification import UploadClassifier
from found_footy.uploads.classifiers.onnx_backend import OnnxClassifier, OnnxOptions
from found_footy.uploads.classifiers.workers_ai import MAX_ANSWER_BYTES, WorkersAiClassifier, WorkersAiOptions
from found_footy.uploads.classifiers.workers_ai_errors import SYSTEM
from found_footy.uploads.settings import UploadSettings
from found_footy.vision.classifier.builder import MODEL_FILE, MODEL_SHA256, SETUP_REMEDY

SETUP_MODEL_NAME = "resnet-50"
# For the weights of set-up a larger part of the picture is classified than the usual 224 of 256 (docs/vision.md).
_SETUP_SHORT_SIDE = 232
# A public address; another one is a proxy or a simulator, which may be on this machine.
_CLOUDFLARE_API = "api.cloudflare.com:443"
_OWN_FILE_REMEDY = "see FOOTY_UPLOADS__MODEL_FILE and FOOTY_UPLOADS__MODEL_SHA256"


def build_upload_classifier(settings: UploadSettings, model_dir: Path) -> UploadClassifier:
    """`model_dir` is where set-up makes its model. Raises ConfigError for settings that contradict each other."""
    if settings.classifier == "workers-ai":
        return _build_workers_ai(settings)
    return OnnxClassifier(_choose_onnx_options(settings, model_dir))


def _choose_onnx_options(settings: UploadSettings, model_dir: Path) -> OnnxOptions:
    threads, batch = settings.classifier_threads, settings.classifier_batch
    if settings.model_file is None:
        return OnnxOptions(
            model_dir / MODEL_FILE,
            MODEL_SHA256,
            SETUP_MODEL_NAME,
            SETUP_REMEDY,
            short_side=_SETUP_SHORT_SIDE,
            threads=threads,
            max_batch=batch,
        )
    if not settings.model_sha256:
        raise ConfigError("FOOTY_UPLOADS__MODEL_FILE needs FOOTY_UPLOADS__MODEL_SHA256, the digest of that file")
    return OnnxOptions(
        settings.model_file,
        settings.model_sha256,
        settings.model_file.stem,
        _OWN_FILE_REMEDY,
        short_side=settings.model_short_side,
        threads=threads,
        max_batch=batch,
    )


def _build_workers_ai(settings: UploadSettings) -> WorkersAiClassifier:
    token = settings.workers_ai_token.get_secret_value()
    if not settings.workers_ai_account or not token:
        raise ConfigError(
            "the classifier workers-ai needs FOOTY_UPLOADS__WORKERS_AI_ACCOUNT and FOOTY_UPLOADS__WORKERS_AI_TOKEN"
        )
    place = host_and_port(settings.workers_ai_url)
    http = SafeHttpClient(
        system=SYSTEM,
        allowed_hosts=[place],
        trusted_private=[] if place == _CLOUDFLARE_API else [place],
        timeout=settings.workers_ai_timeout,
        max_bytes=MAX_ANSWER_BYTES,
        headers={"authorization": f"Bearer {token}"},
    )
    return WorkersAiClassifier(http, WorkersAiOptions(settings.workers_ai_url.rstrip("/"), settings.workers_ai_account))
