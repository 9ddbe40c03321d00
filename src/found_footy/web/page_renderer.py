"""Templates and static files. Everything written into a page is escaped by default."""

import hashlib
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from importlib.resources import files
from typing import Any

from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from found_footy.uploads.organizations.quotas import format_size
from found_footy.views import day, phrases, timetable
from found_footy.web.deps import WebDeps

_CONTENT_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".png": "image/png"}


@dataclass(frozen=True)
class StaticFile:
    body: bytes
    content_type: str
    digest: str


def load_static_files() -> dict[str, StaticFile]:
    """Load every static file by name. They are few and small: they stay in memory, and no request opens a path."""
    found = {}
    for file in files("found_footy.web").joinpath("static").iterdir():
        suffix = "." + file.name.rpartition(".")[2]
        if suffix in _CONTENT_TYPES:
            body = file.read_bytes()
            found[file.name] = StaticFile(body, _CONTENT_TYPES[suffix], hashlib.sha256(body).hexdigest()[:16])
    return found


class PageRenderer:
    def __init__(self, deps: WebDeps) -> None:
        self.static_files = load_static_files()
        self._templates = Environment(
            loader=PackageLoader("found_footy.web"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals.update(
            version=deps.version, commit=deps.commit, simulated=deps.simulated, asset=self.asset_url
        )
        self._templates.filters.update(
            clock=_format_clock,
            moment=_format_moment,
            found_by=phrases.describe_post_count,
            chip=phrases.goal_status_label,
            section_of=timetable.section_key,
            size=format_size,
            clock_seconds=_format_clock_seconds,
            local_date=day.local_day,
            day_after=_add_days,
            day_name=_name_day,
            short_day=_format_short_day,
        )

    def asset_url(self, name: str) -> str:
        return f"/static/{name}?v={self.static_files[name].digest}"

    def render_page(
        self, template: str, *, status: int = 200, headers: dict[str, str] | None = None, **context: Any
    ) -> HTMLResponse:
        return HTMLResponse(
            self.render_template(template, **context), status, {"Cache-Control": "no-cache"} | (headers or {})
        )

    def render_template(self, template: str, **context: Any) -> str:
        return self._templates.get_template(template).render(**context)


def _format_clock(time: datetime, zone: tzinfo) -> str:
    return f"{time.astimezone(zone):%H:%M}"


def _format_clock_seconds(time: datetime, zone: tzinfo) -> str:
    local = time.astimezone(zone)
    return f"{local.day} {local:%b %H:%M:%S}"


def _format_moment(time: datetime, zone: tzinfo) -> str:
    local = time.astimezone(zone)
    return f"{local:%A} {local.day} {local:%B %Y, %H:%M} {local.tzname()}"


def _add_days(one: date, days: int) -> date:
    return one + timedelta(days=days)


def _name_day(one: date, today: date, is_short: bool = False) -> str:
    """`Today`, `Yesterday`, `Tomorrow`, else the date; short: `Sat 14 Nov`."""
    near = {0: "Today", 1: "Tomorrow", -1: "Yesterday"}.get((one - today).days)
    return near or (f"{one:%a} {one.day} {one:%b}" if is_short else f"{one:%A} {one.day} {one:%B %Y}")


def _format_short_day(time: datetime, zone: tzinfo) -> str:
    local = time.astimezone(zone)
    return f"{local:%a} {local.day} {local:%b %Y}"
