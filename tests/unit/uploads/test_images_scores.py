"""Probabilities, the best labels, and the stored form of a picture."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.platform.errors import ConfigError, Malformed
from found_footy.platform.media.image_rules import (
    MAX_ASPECT_RATIO,
    SHORT_SIDE,
    compute_middle,
    compute_picture_size,
    compute_reduction,
    is_picture_size,
)
from found_footy.uploads.classifiers.classification import (
    normalize_label,
    select_top_labels,
    to_probabilities,
)
from found_footy.uploads.classifiers.imagenet_labels import find_labels, load_imagenet_labels
from found_footy.uploads.classifiers.preprocessing import CropRule, crop_picture, normalize_picture
from found_footy.uploads.images.pixels import pack_pixels, unpack_pixels
from found_footy.uploads.images.refusals import refuse_large_file
from found_footy.uploads.settings import UploadSettings

LOGITS = st.lists(st.floats(-500, 500, width=32), min_size=2, max_size=40).filter(
    lambda row: not (min(row) >= 0 and max(row) <= 1)
)
SIDES = st.integers(1, 60_000)


@given(LOGITS)
def test_softmax_gives_probabilities_in_the_order_of_the_logits(row: list[float]) -> None:
    shares = to_probabilities(np.array(row, np.float32))
    assert math.isclose(shares.sum(), 1.0, rel_tol=1e-9)
    assert (shares >= 0).all()
    order = np.argsort(row, kind="stable")
    assert (np.diff(shares[order]) >= 0).all()


@given(LOGITS, st.floats(-100, 100))
def test_softmax_does_not_depend_on_a_constant(row: list[float], shift: float) -> None:
    values = np.array(row, np.float64)
    if (values + shift).min() >= 0:
        shift = -1_000.0
    assert np.allclose(to_probabilities(values), to_probabilities(values + shift), atol=1e-9)


@given(LOGITS)
def test_a_row_that_is_the_result_of_a_softmax_stays_as_it_is(row: list[float]) -> None:
    shares = to_probabilities(np.array(row))
    assert np.array_equal(to_probabilities(shares), shares)


@given(st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.5]), min_size=1, max_size=12), st.integers(1, 6))
def test_the_best_labels_come_first_and_of_equal_ones_the_first(row: list[float], count: int) -> None:
    labels = [str(index) for index in range(len(row))]
    found = select_top_labels(np.array(row), labels, count)
    expected = sorted(range(len(row)), key=lambda index: (-row[index], index))[:count]
    assert [(one.label, one.score) for one in found] == [(str(index), row[index]) for index in expected]


def test_labels_of_every_backend_are_written_alike() -> None:
    assert normalize_label("  PERSIAN   CAT\n") == "persian cat"


def test_the_labels_of_imagenet_are_in_their_order() -> None:
    labels = load_imagenet_labels()
    assert len(labels) == 1000
    assert [labels[index] for index in (0, 781, 805, 851, 981, 999)] == [
        "tench",
        "scoreboard",
        "soccer ball",
        "television",
        "ballplayer",
        "toilet tissue",
    ]
    assert all(label == normalize_label(label) for label in labels)


def test_a_models_own_labels_count_first_and_must_fit() -> None:
    assert find_labels({"labels": '["Big Cat", "dog"]'}, 2) == ("big cat", "dog")
    with pytest.raises(ConfigError, match="3 classes"):
        find_labels({"labels": '["cat", "dog"]'}, 3)
    with pytest.raises(ConfigError, match="7 classes"):
        find_labels({}, 7)
    with pytest.raises(ConfigError, match="cannot be read"):
        find_labels({"labels": "{"}, 2)


def test_a_picture_is_cropped_in_its_middle() -> None:
    pixels = np.zeros((100, 300, 3), np.uint8)
    pixels[:, 100:200] = 255
    assert crop_picture(pixels, CropRule(32, 32))[:, 1:-1].min() == 255
    assert crop_picture(pixels, CropRule(32, 64)).shape == (32, 32, 3)


@given(st.integers(1, 400), st.integers(1, 400))
def test_a_picture_of_any_size_fills_the_input(width: int, height: int) -> None:
    cropped = crop_picture(np.full((height, width, 3), 77, np.uint8), CropRule(24, 28))
    assert cropped.shape == (24, 24, 3)
    assert set(np.unique(cropped)) == {77}


def test_values_are_normalized_as_imagenet_networks_expect() -> None:
    found = normalize_picture(np.array([[[0, 128, 255]]], np.uint8))
    assert np.allclose(found, [[[-2.1179, 0.2052, 2.64]]], atol=1e-3)


@given(SIDES, SIDES)
def test_the_picture_for_the_classifiers_is_small_and_keeps_its_proportions(width: int, height: int) -> None:
    factor = compute_reduction(width, height)
    reduced = (-(-width // factor), -(-height // factor))
    left, top, right, bottom = compute_middle(*reduced)
    assert 0 <= left < right <= reduced[0]
    assert 0 <= top < bottom <= reduced[1]
    assert abs((left + right) - reduced[0]) <= 1
    size = compute_picture_size(right - left, bottom - top)
    assert is_picture_size(*size)
    assert min(size) == min(SHORT_SIDE, *reduced)
    assert max(size) <= MAX_ASPECT_RATIO * min(size)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 255))
def test_a_stored_picture_is_read_back(width: int, height: int, value: int) -> None:
    if not is_picture_size(width, height):
        height = width
    pixels = np.full((height, width, 3), value, np.uint8)
    assert np.array_equal(unpack_pixels(pack_pixels(pixels)), pixels)


@pytest.mark.parametrize("change", [lambda d: d[:-1], lambda d: d + b"x", lambda d: b"X" + d[1:], lambda d: d[:5]])
def test_a_stored_picture_that_is_cut_or_another_file_is_malformed(change: object) -> None:
    assert callable(change)
    with pytest.raises(Malformed):
        unpack_pixels(change(pack_pixels(np.zeros((4, 4, 3), np.uint8))))


@pytest.mark.parametrize(
    ("size", "text"), [(UploadSettings().max_bytes, "25 MiB"), (25_000_000, "25 MB"), (1_500_000, "1.5 MB")]
)
def test_the_largest_size_is_named_as_it_is_set(size: int, text: str) -> None:
    assert refuse_large_file(size).sentence == f"The file is larger than {text}."
