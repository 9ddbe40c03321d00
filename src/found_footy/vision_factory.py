"""Which folder of the vision model the settings mean."""

from found_footy.embedded.endpoints import default_data_dir
from found_footy.settings import Settings
from found_footy.vision.classifier.builder import MODEL_FILE
from found_footy.vision.reader_factory import resolve_model_dir
from found_footy.vision.settings import VisionSettings


def resolve_vision_settings(settings: Settings) -> VisionSettings:
    """Add the folder of the vision model: the configured one, else the data directory's, else the user's default one if
    the model is there, so that a temporary data directory needs no model of its own.
    """
    own, users = (resolve_model_dir(settings.vision, place) for place in (settings.data_dir, default_data_dir()))
    found = own if (own / MODEL_FILE).is_file() or not (users / MODEL_FILE).is_file() else users
    return settings.vision.model_copy(update={"model_dir": found})
