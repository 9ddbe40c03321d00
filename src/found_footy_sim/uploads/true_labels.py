"""The right labels of the afternoon's pictures: what the classifier says when it is asked directly.

Neither a row, nor the store, nor a workflow takes part in it.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from found_footy.platform.errors import BadInput, ConfigError
from found_footy.platform.media.image_decoder import ImageLimits
from found_footy.settings import Settings
from found_footy.uploads.classifiers.classification import Classification, UploadClassifier
from found_footy.uploads.classifiers.factory import build_upload_classifier
from found_footy.uploads.images.preparation import prepare_image
from found_footy.uploads.images.refusals import RefusedImage
from found_footy.vision.classifier.builder import is_model_built
from found_footy.vision.reader_factory import resolve_model_dir
from found_footy.vision_factory import resolve_vision_settings
from found_footy_sim.uploads.afternoon import UploadFile
from found_footy_sim.uploads.expectations import FileLabels

# Several pictures classified together have scores that differ by less than this from those of one.
_EQUAL_SCORES = 0.01


def check_model(settings: Settings) -> None:
    """Raises ConfigError if images cannot be classified, before anything is started."""
    if not is_model_built(find_model_dir(settings)):
        raise ConfigError("uploads need the image classifier: `found-footy setup` builds it")


def find_model_dir(settings: Settings) -> Path:
    return resolve_model_dir(resolve_vision_settings(settings), settings.data_dir)


async def classify_directly(settings: Settings, files: Sequence[UploadFile]) -> FileLabels:
    classifier = build_upload_classifier(settings.uploads, find_model_dir(settings))
    try:
        with tempfile.TemporaryDirectory() as folder:
            return {file: await _classify_file(classifier, settings, file, Path(folder)) for file in files}
    finally:
        await classifier.aclose()


async def _classify_file(
    classifier: UploadClassifier, settings: Settings, file: UploadFile, folder: Path
) -> frozenset[str]:
    source, limits = folder / "picture", ImageLimits(settings.uploads.max_bytes, settings.uploads.max_pixels)
    source.write_bytes(file.build(settings.uploads.max_bytes))
    found = await prepare_image(source, folder, limits)
    if isinstance(found, RefusedImage):
        raise BadInput(f"the picture {file.content} {file.variant} is refused: {found.sentence}")
    return select_right_labels(await classifier.classify(found.pixels))


def select_right_labels(found: Classification) -> frozenset[str]:
    """The best label, and those whose scores do not differ from its score."""
    best = found.labels[0].score
    return frozenset(one.label for one in found.labels if one.score > best - _EQUAL_SCORES)
