"""Text recognition by RapidOCR with the weights in its wheel. Nothing is downloaded."""

from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any

import cv2
import numpy as np
import rapidocr

from found_footy.vision.errors import ModelMissing
from found_footy.vision.frames import Pixels
from found_footy.vision.local.text_boxes import WHOLE_PICTURE, RelativeBox, TextBox

OCR_PICTURE_WIDTH = 1280
_MODELS_DIR = Path(rapidocr.__file__).parent / "models"
_DETECTOR_PATH, _RECOGNIZER_PATH = _MODELS_DIR / "PP-OCRv6_det_small.onnx", _MODELS_DIR / "PP-OCRv6_rec_small.onnx"
_MIN_CROP_PIXELS, _MAX_SCALE = 6, 8.0
# Fast: the longer side is scaled down to at most this for text detection. Thorough and slow: the shorter side is at
# least that.
_FAST_LIMIT, _THOROUGH_LIMIT = ("max", 960), ("min", 384)
# Channels, height and least width of the picture of a line. The cost of recognizing it grows with its width: most lines
# of a score bug are three letters or a clock, far narrower than the package's own least width of 320.
_LINE_SHAPE = [3, 48, 96]
# Lines that are recognized together are all padded to the longest one.
_LINES_PER_RUN = 1


class RapidOcrRecognizer:
    """One set of models. Calls are serialized: the engine keeps state during a call."""

    def __init__(self, threads: int = 1) -> None:
        for model in (_DETECTOR_PATH, _RECOGNIZER_PATH):
            if not model.is_file():
                raise ModelMissing(f"{model.name} is not in the rapidocr package; install rapidocr again")
        # The package imports `RapidOCR` and its settings, a second's work, on this attribute access and not before.
        self._engine = rapidocr.RapidOCR(
            params={
                "Global.use_cls": False,
                "Global.log_level": "critical",
                "EngineConfig.onnxruntime.intra_op_num_threads": threads,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                "Det.limit_type": _FAST_LIMIT[0],
                "Det.limit_side_len": _FAST_LIMIT[1],
                "Det.model_path": str(_DETECTOR_PATH),
                "Rec.model_path": str(_RECOGNIZER_PATH),
                "Rec.rec_img_shape": _LINE_SHAPE,
                "Rec.rec_batch_num": _LINES_PER_RUN,
            }
        )
        # Loads the detector, whose limits then change from call to call.
        self._engine(np.zeros((64, 64, 3), np.uint8))
        self._detector: Any = self._engine.text_det
        self._lock = Lock()

    def recognize_text(
        self, picture: Pixels, part: RelativeBox = WHOLE_PICTURE, *, thorough: bool = False
    ) -> list[TextBox]:
        """Recognize the text in a part of the picture; boxes are relative to the whole."""
        crop = _scale_crop(picture, part)
        if crop is None:
            return []
        with self._lock:
            self._detector.limit_type, self._detector.limit_side_len = _THOROUGH_LIMIT if thorough else _FAST_LIMIT
            found = self._engine(crop, use_det=True, use_rec=True)
        return list(_to_text_boxes(found, part, crop.shape[1], crop.shape[0]))

    def recognize_line(self, picture: Pixels, part: RelativeBox) -> TextBox | None:
        """Recognize the one line of text that fills a part of the picture; much faster than detecting it first."""
        crop = _scale_crop(picture, part)
        if crop is None:
            return None
        with self._lock:
            found: Any = self._engine(crop, use_det=False, use_rec=True)
        if not found.txts or not found.txts[0]:
            return None
        return TextBox(part, str(found.txts[0]), float(found.scores[0]))


def _scale_crop(picture: Pixels, part: RelativeBox) -> Pixels | None:
    """Crop the part, scaled as if the whole picture were 1280 wide, in BGR as the engine expects. None if it is too
    small to hold a letter.
    """
    height, width = picture.shape[:2]
    rows = slice(round(part.top * height), round(part.bottom * height))
    columns = slice(round(part.left * width), round(part.right * width))
    crop = picture[rows, columns]
    if min(crop.shape[:2]) < _MIN_CROP_PIXELS:
        return None
    scale = min(OCR_PICTURE_WIDTH / width, _MAX_SCALE)
    size = round(crop.shape[1] * scale), round(crop.shape[0] * scale)
    shrinks = scale < 1
    resized = cv2.resize(crop, size, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC)
    return np.asarray(cv2.cvtColor(resized, cv2.COLOR_RGB2BGR), np.uint8)


def _to_text_boxes(found: Any, part: RelativeBox, width: int, height: int) -> Iterator[TextBox]:
    if found.boxes is None or found.txts is None:
        return
    for corners, text, score in zip(found.boxes, found.txts, found.scores, strict=True):
        xs, ys = corners[:, 0] / width, corners[:, 1] / height
        yield TextBox(
            RelativeBox(
                part.left + float(xs.min()) * part.width,
                part.top + float(ys.min()) * part.height,
                part.left + float(xs.max()) * part.width,
                part.top + float(ys.max()) * part.height,
            ),
            str(text),
            float(score),
        )
