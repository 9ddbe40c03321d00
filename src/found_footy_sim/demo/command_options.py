"""Options of `found-footy demo`."""

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from found_footy_sim.demo.outage_injector import OutageKind


class DemoSize(StrEnum):
    SMALL = "small"
    DEMO = "demo"
    FULL = "full"


class ProofPart(StrEnum):
    """A part of the clip check that can be switched off, as its setting is named."""

    TEAMS = "teams"
    SCORE = "score"
    HALF = "half"
    WITNESSES = "witnesses"
    OTHER_GOALS = "other_goals"


def build_proof_settings(without: Iterable[ProofPart]) -> dict[str, str]:
    """The settings of the product that switch these parts off."""
    return {f"FOOTY_VISION__PROOF_{part.name}": "false" for part in without}


KeepOption = Annotated[bool, typer.Option("--keep", help="Keep running afterwards, until Ctrl-C.")]
WorldOption = Annotated[
    DemoSize | None,
    typer.Option(help="Size of the simulated match day; by default demo, or no matches with --uploads."),
]
SeedOption = Annotated[int, typer.Option(help="Seed of the match day.", min=0)]
ShareOption = Annotated[list[str] | None, typer.Option(help="A share of the match day, NAME=VALUE; repeatable.")]
SpeedOption = Annotated[float, typer.Option(help="Match minutes per real minute; 0: the world's default.", min=0)]
WithoutOption = Annotated[
    list[ProofPart] | None, typer.Option(help="A part of the clip check to switch off; repeatable.")
]
ChaosOption = Annotated[bool, typer.Option("--chaos", help="Kill servers and end sessions meanwhile.")]
FaultOption = Annotated[
    str, typer.Option(help=f"Longer outages to inject, by name and in this order: {', '.join(OutageKind)}.")
]
FaultSecondsOption = Annotated[float, typer.Option(help="Duration of such an outage, in real seconds.", min=1)]
RedditOption = Annotated[bool, typer.Option("--reddit", help="Read the simulated r/soccer too.")]
DrawFirstOption = Annotated[bool, typer.Option("--draw-first", help="Render every clip before kick-off.")]
ReportOption = Annotated[Path | None, typer.Option(help="Directory of the scorecard; by default a new one.")]
BrowserOption = Annotated[
    bool | None,
    typer.Option("--browser/--no-browser", help="Search through a real browser; by default if it is fast enough."),
]
ScenarioOption = Annotated[str, typer.Option(help="Play this scripted match day instead of a world.")]
PortOption = Annotated[int, typer.Option(help="Port of the page; by default 8000, or a free one if that is taken.")]
DataDirOption = Annotated[Path | None, typer.Option(help="Empty data directory; by default a temporary one.")]
UploadsOption = Annotated[bool, typer.Option("--uploads", help="Play an organization's afternoon of uploads.")]
ImagesOption = Annotated[int, typer.Option(help="Names of that afternoon.", min=1, max=500)]
LimitOption = Annotated[int, typer.Option(help="Time limit in seconds; 0: the world's default.", min=0)]
