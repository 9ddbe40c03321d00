"""What the vision library says, in the words of this stage."""

import io

import numpy as np
from PIL import Image

from found_footy.clips.check.conversion import to_check_result, to_clip_frames, to_undecodable_result
from found_footy.clips.check.evidence import encode_small_jpeg
from found_footy.clips.messages import CandidateNote, ClipFile
from found_footy.clips.outcomes import note_check_result
from found_footy.clips.store import _note_document
from found_footy.domain.outcomes import ClipOutcome, TimestampStatus
from found_footy.platform.media.frames import ExtractedFrame, ExtractedFrames
from found_footy.platform.media.probe import MediaFault, UnusableMedia
from found_footy.vision.frames import Frame
from found_footy.vision.verdict import Accepted, FrameReading, Rejected, VerdictEvidence

ANSWERS = (FrameReading(2.5, soccer=True, screen=False, clock="23:14"), FrameReading(7.5, soccer=True, clock="x" * 900))
EVIDENCE = VerdictEvidence("local", "23", ANSWERS, "clock: minute 23 is within 3 of 23", ("football: 0.98", "y" * 900))
CLIP = ClipFile("a" * 32, "scratch/e/a.mp4", "https://x.com/1", 1280, 720, 10.0, 1000, 800, 25.0)


def a_picture(at: float, shade: int = 0, shape: tuple[int, int] = (90, 160)) -> ExtractedFrame:
    return ExtractedFrame(at, np.full((*shape, 3), shade, np.uint8))


def test_the_middle_frame_is_apart_from_the_outer_ones() -> None:
    frames = to_clip_frames(
        ExtractedFrames(a_picture(2.5), a_picture(5.0), a_picture(7.5), (a_picture(2.5), a_picture(2.9)))
    )
    assert [frame.at for frame in frames.outer_frames] == [2.5, 7.5]
    assert frames.middle_frame is not None
    assert frames.middle_frame.at == 5.0
    assert len(frames.small_frames) == 2


def test_frames_that_could_not_be_decoded_are_left_out() -> None:
    frames = to_clip_frames(ExtractedFrames(None, a_picture(5.0), None, ()))
    assert frames.outer_frames == ()
    assert [frame.at for frame in frames.full_size_frames] == [5.0]


def test_a_clip_that_passed_keeps_its_evidence_with_the_pictures_of_its_frames() -> None:
    seen = to_check_result(Accepted(TimestampStatus.VERIFIED, 23, EVIDENCE), {2.5: "one.jpg"})
    assert (seen.rejected, seen.timestamp_status, seen.extracted_minute) == (None, TimestampStatus.VERIFIED, 23)
    assert seen.reason == EVIDENCE.rule
    assert seen.evidence is not None
    assert [frame.picture for frame in seen.evidence.frames] == ["one.jpg", ""]


def test_what_a_reader_wrote_is_cut_to_a_bounded_length() -> None:
    seen = to_check_result(Accepted(TimestampStatus.VERIFIED, 23, EVIDENCE), {})
    assert seen.evidence is not None
    assert len(seen.evidence.frames[1].clock or "") == len(seen.evidence.notes[1]) == 200


def test_a_rejection_names_its_rule_and_its_figures() -> None:
    verdict = Rejected(ClipOutcome.NOT_SOCCER, "no football, according to 2 of 2 frames", None, EVIDENCE)
    note = note_check_result(CLIP, to_check_result(verdict, {}))
    assert note.outcome is ClipOutcome.NOT_SOCCER
    for reported in ("local:", "2 of 2 frames", "minute 23", "0.98"):
        assert reported in note.reason
    assert len(note.reason) < 500


def test_a_file_whose_frames_cannot_be_decoded_is_its_own_fault() -> None:
    seen = to_undecodable_result("local", UnusableMedia(MediaFault.CORRUPT, "no frame"))
    assert (seen.rejected, seen.reason) == (ClipOutcome.DOWNLOAD_FAILED, "corrupt: no frame")


def test_evidence_is_stored_as_plain_values() -> None:
    seen = to_check_result(Accepted(TimestampStatus.VERIFIED, 23, EVIDENCE), {2.5: "one.jpg"})
    stored = _note_document(note_check_result(CLIP, seen))["evidence"]
    assert (stored["reader"], stored["expected"]) == ("local", "23")
    assert stored["frames"][0] == {
        "at": 2.5,
        "soccer": True,
        "screen": False,
        "clock": "23:14",
        "is_confirmed": None,
        "added": None,
        "stoppage_clock": None,
        "note": "",
        "teams": None,
        "score": None,
        "picture": "one.jpg",
    }
    assert "evidence" not in _note_document(CandidateNote("https://x.com/1"))


def test_pictures_of_evidence_are_small() -> None:
    for shape, size in (((1080, 1920), (480, 270)), ((90, 160), (160, 90)), ((2, 3000), (480, 1))):
        with Image.open(io.BytesIO(encode_small_jpeg(Frame(0.0, a_picture(0, 90, shape).pixels)))) as picture:
            assert (picture.format, picture.size) == ("JPEG", size)
