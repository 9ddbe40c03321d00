"""`found-footy doctor`: what it says at the end is what it found."""

import pytest

from found_footy.cli import console, doctor
from found_footy.platform.probes import ProbeResult
from found_footy.settings import Settings
from found_footy.web.deps import Dependency


@pytest.mark.parametrize(
    ("server", "reader", "code", "end"),
    [
        (True, True, console.OK, "Everything works."),
        (True, False, console.FAILED, "1 of 2 not working: reader of clips"),
        (False, True, console.FAILED, "1 of 2 not working: MongoDB"),
        (False, False, console.FAILED, "2 of 2 not working: MongoDB, reader of clips"),
    ],
)
async def test_everything_works_only_if_clips_can_be_looked_at_too(
    server: bool, reader: bool, code: int, end: str,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    async def probed(_: Settings) -> list[ProbeResult]:
        return [ProbeResult("MongoDB", server, 1, "seen", "" if server else "start it")]

    async def looked(_: Settings) -> Dependency:
        return Dependency("reader of clips", reader, "seen", required=False)

    monkeypatch.setattr(doctor, "probe_everything", probed)
    monkeypatch.setattr(doctor, "vision", looked)
    assert await doctor.examine(Settings()) == code
    said = capsys.readouterr()
    assert (said.out + said.err).strip().endswith(end)
    assert ("Everything works." in said.out) == (code == console.OK)
