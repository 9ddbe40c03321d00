"""`found-footy integrity`. Exit code 0: no issue; 1: issues; 2: the check could not be completed."""

import getpass
import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Any

import typer

from found_footy.archive.maintenance.integrity import IntegrityIssue
from found_footy.archive.maintenance.repair import RepairResult
from found_footy.archive.maintenance.scan import ScanScope, ScanTally
from found_footy.archive.maintenance.services import MaintenanceServices
from found_footy.cli import console
from found_footy.maintenance_factory import open_maintenance
from found_footy.platform.errors import FoundFootyError
from found_footy.platform.settings.groups import format_bytes, parse_duration
from found_footy.settings import Settings, load_settings

EXIT_NOT_CHECKED = 2


def command(
    repair: Annotated[bool, typer.Option("--repair", help="Repair what can be repaired safely.")] = False,
    deep: Annotated[bool, typer.Option("--deep", help="Read every clip and compute its checksum.")] = False,
    fixture: Annotated[int | None, typer.Option(help="Only this fixture.")] = None,
    grace: Annotated[
        str, typer.Option(help="Ignore objects younger than this; their record may not be written yet.")
    ] = "",
    by: Annotated[str, typer.Option(help="Who repairs, for the audit log; by default the user of this machine.")] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per line; the last one is the summary.")
    ] = False,
) -> int:
    """Compare records with stored objects. Exit code 0: no issues, 1: issues, 2: the check was not completed."""
    settings = load_settings().settings
    extent = ScanScope(_parse_grace(grace) if grace else settings.keeping.orphan_grace, fixture, deep)
    return console.run_coroutine(lambda: check_integrity(settings, extent, repair=repair, by=by, as_json=as_json))


def _parse_grace(text: str) -> timedelta:
    try:
        return parse_duration(text)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--grace") from error


async def check_integrity(settings: Settings, extent: ScanScope, *, repair: bool, by: str, as_json: bool) -> int:
    """A check that could not be completed has its own exit code."""
    try:
        async with open_maintenance(settings) as services:
            report = IntegrityReportPrinter(as_json)
            inspector = services.build_scanner()
            findings = inspector.scan(extent)
            if repair:
                await report.print_repairs(_run_repairs(services, findings, by, extent.grace, lambda: inspector.tally))
            else:
                await report.print_findings(findings)
    except FoundFootyError as error:
        console.explain_error(error)
        return EXIT_NOT_CHECKED
    report.print_summary(inspector.tally)
    return console.FAILED if inspector.tally.error_count > report.repaired_count else console.OK


def _run_repairs(
    services: MaintenanceServices, findings: AsyncIterator[IntegrityIssue], by: str, grace: timedelta, tally: Any
) -> AsyncIterator[RepairResult]:
    return services.build_repairer(by or getpass.getuser(), grace).repair(findings, tally)


class IntegrityReportPrinter:
    """Prints issues as they are found; `repaired_count` counts the repaired ones."""

    def __init__(self, as_json: bool) -> None:
        self._json = as_json
        self.repaired_count = 0

    async def print_findings(self, findings: AsyncIterator[IntegrityIssue]) -> None:
        async for finding in findings:
            self._print_finding(finding, {})

    async def print_repairs(self, repairs: AsyncIterator[RepairResult]) -> None:
        async for one in repairs:
            self.repaired_count += one.repaired and one.issue.is_error
            self._print_finding(one.issue, {"repaired": one.repaired, "words": one.message})

    def print_summary(self, tally: ScanTally) -> None:
        if self._json:
            _print_json_line(
                {"summary": asdict(tally) | {"faults": tally.error_count, "repaired": self.repaired_count}}
            )
            return
        looked = f"{tally.fixtures} fixtures, {tally.clips} clips, {tally.objects} objects"
        verdict = f"{tally.error_count} issues, {self.repaired_count} repaired" if tally.error_count else "no issues"
        console.out.print(f"{looked} ({format_bytes(tally.bytes)}): {verdict}", highlight=False)

    def _print_finding(self, finding: IntegrityIssue, more: dict[str, Any]) -> None:
        if self._json:
            _print_json_line({**asdict(finding), "fault": finding.is_error, **more})
            return
        place = " ".join(str(part) for part in (finding.clip_id or finding.event_id, finding.key) if part)
        kind = finding.kind.value.replace("_", " ")
        style = "red" if finding.is_error else "dim"
        console.out.print(
            f"{kind}: {place} ({finding.detail})", style=style, markup=False, highlight=False, soft_wrap=True
        )
        if more:
            style = "green" if more["repaired"] else "yellow"
            console.out.print(f"  → {more['words']}", style=style, markup=False, highlight=False, soft_wrap=True)


def _print_json_line(value: dict[str, Any]) -> None:
    console.out.print(json.dumps(value, default=str, ensure_ascii=False), markup=False, highlight=False, soft_wrap=True)
