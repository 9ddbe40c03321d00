"""The bench for people's own recordings, on three clips and their truth file."""

from pathlib import Path

import pytest

from bench import reader_accuracy
from found_footy_sim.media.clip_library import render_clip
from found_footy_sim.media.clip_spec import ClipChange
from tests.support.vision.clip_frames import goal, studio


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    for name, scene, change in (
        ("goal.mp4", goal(), ClipChange(crf=24)),
        ("studio.mp4", studio(), ClipChange(crf=24)),
    ):
        render_clip(scene, (change,), tmp_path).rename(tmp_path / name)
    (tmp_path / "broken.mp4").write_bytes(b"not a video")
    return tmp_path


def test_clips_are_checked_as_the_product_does_and_counted(clips: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth = clips / "truth.csv"
    truth.write_text(
        "file,minute,clock,football,group\ngoal.mp4,35,34:10,,bar\nstudio.mp4,35,,no,studio\nbroken.mp4,35,,,\n"
    )
    assert reader_accuracy.main(["--clips", str(clips), "--truth", str(truth)]) == 0
    printed = capsys.readouterr().out
    rows = {line.split()[0]: line.split()[1:] for line in printed.splitlines()}
    assert rows["bar"][:2] == ["1/0/0", "1/0/0"]
    assert rows["studio"][0] == "1/0/0"
    assert "broken.mp4: not checked: not_video" in printed
    assert "not checked: 1" in printed


def test_a_clip_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth = tmp_path / "truth.csv"
    truth.write_text("file,minute\nnowhere.mp4,35\n")
    assert reader_accuracy.main(["--clips", str(tmp_path), "--truth", str(truth)]) == 2
    assert "nowhere.mp4" in capsys.readouterr().err
    assert reader_accuracy.main(["--clips", str(tmp_path), "--truth", str(tmp_path / "none.csv")]) == 2
