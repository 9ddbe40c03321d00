"""`found-footy integrity`. Exit code 0: all is well; 1: something is wrong; 2: it could not be checked."""

import getpass
import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Any

import typer

from found_footy import app
from found_footy.archive.integrity import Finding
from found_footy.archive.integrity_repair import Repaired
from found_footy.archive.integrity_walk import Extent, Tally
from found_footy.archive.keeping import Keeping
from found_footy.cli import console
from found_footy.platform.errors import FoundFootyError
from found_footy.platform.settings import format_bytes, parse_duration
from found_footy.settings import Settings, load_settings

COULD_NOT_CHECK = 2


def command(
    repair: Annotated[bool, typer.Option("--repair", help="Put right what can safely be put right.")] = False,
    deep: Annotated[bool, typer.Option("--deep", help="Read every clip and compute its checksum.")] = False,
    fixture: Annotated[int | None, typer.Option(help="Only this fixture.")] = None,
    grace: Annotated[
        str, typer.Option(help="Objects younger than this may belong to a record that is on its way.")
    ] = "",
    by: Annotated[str, typer.Option(help="Who repairs; without it, the user of this machine.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="A JSON object per line, the last one sums up.")] = False,
) -> int:
    """Compare what is recorded with what is stored. Exit code 0: all is well, 1: something is wrong, 2: unknown."""
    settings = load_settings().settings
    extent = Extent(_duration(grace) if grace else settings.keeping.orphan_grace, fixture, deep)
    return console.run(lambda: check(settings, extent, repair=repair, by=by, as_json=as_json))


def _duration(text: str) -> timedelta:
    try:
        return parse_duration(text)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--grace") from error


async def check(settings: Settings, extent: Extent, *, repair: bool, by: str, as_json: bool) -> int:
    """A check that could not be finished says nothing, and ends with its own code."""
    try:
        async with app.keeping(settings) as keeping:
            report = Report(as_json)
            inspector = keeping.inspector()
            findings = inspector.findings(extent)
            if repair:
                await report.repaired(_repairs(keeping, findings, by, extent.grace, lambda: inspector.tally))
            else:
                await report.found(findings)
    except FoundFootyError as error:
        console.explain(error)
        return COULD_NOT_CHECK
    report.summed_up(inspector.tally)
    return console.FAILED if inspector.tally.faults > report.mended else console.OK


def _repairs(
    keeping: Keeping, findings: AsyncIterator[Finding], by: str, grace: timedelta, tally: Any
) -> AsyncIterator[Repaired]:
    return keeping.repairer(by or getpass.getuser(), grace).repair(findings, tally)


class Report:
    """Prints as it goes; `mended` counts the faults that are none any more."""

    def __init__(self, as_json: bool) -> None:
        self._json = as_json
        self.mended = 0

    async def found(self, findings: AsyncIterator[Finding]) -> None:
        async for finding in findings:
            self._tell(finding, {})

    async def repaired(self, repairs: AsyncIterator[Repaired]) -> None:
        async for one in repairs:
            self.mended += one.done and one.finding.is_fault
            self._tell(one.finding, {"repaired": one.done, "words": one.words})

    def summed_up(self, tally: Tally) -> None:
        if self._json:
            _line({"summary": asdict(tally) | {"faults": tally.faults, "repaired": self.mended}})
            return
        looked = f"{tally.fixtures} fixtures, {tally.clips} clips, {tally.objects} objects"
        verdict = f"{tally.faults} faults, {self.mended} repaired" if tally.faults else "all is well"
        console.out.print(f"{looked} ({format_bytes(tally.bytes)}): {verdict}", highlight=False)

    def _tell(self, finding: Finding, more: dict[str, Any]) -> None:
        if self._json:
            _line({**asdict(finding), "fault": finding.is_fault, **more})
            return
        place = " ".join(str(part) for part in (finding.clip_id or finding.event_id, finding.key) if part)
        kind = finding.kind.value.replace("_", " ")
        style = "red" if finding.is_fault else "dim"
        console.out.print(
            f"{kind}: {place} ({finding.detail})", style=style, markup=False, highlight=False, soft_wrap=True
        )
        if more:
            style = "green" if more["repaired"] else "yellow"
            console.out.print(f"  → {more['words']}", style=style, markup=False, highlight=False, soft_wrap=True)


def _line(value: dict[str, Any]) -> None:
    console.out.print(json.dumps(value, default=str, ensure_ascii=False), markup=False, highlight=False, soft_wrap=True)
