"""The pages of figures: how many goals have a clip, how soon, and what each source is worth."""

from dataclasses import dataclass

from fastapi import APIRouter, Response

from found_footy.views.stats import DelayBin
from found_footy.views.timetable import find_time_zone
from found_footy.web.pages.match_day import ZoneCookie
from found_footy.web.state import WebStateDep

router = APIRouter(include_in_schema=False)

_SECONDS_PER_MINUTE = 60
_CHART_HEIGHT = 120


@dataclass(frozen=True)
class HistogramBar:
    """A bar of the histogram; `height` and `top` are in units of the drawing."""

    label: str
    goals: int
    height: int
    top: int


@router.get("/stats")
async def show_stats(web: WebStateDep, zone: ZoneCookie = None) -> Response:
    stats, sources = await web.browsing.stats.get(), await web.browsing.sources.get()
    return web.renderer.render_page(
        "stats.html",
        page_name="stats",
        stats=stats,
        sources=sources,
        bars=build_chart(stats.delays),
        median=format_seconds(stats.median_delay_seconds),
        zone=find_time_zone(zone),
    )


@router.get("/sources")
async def show_sources(web: WebStateDep, zone: ZoneCookie = None) -> Response:
    return web.renderer.render_page(
        "sources.html",
        page_name="stats",
        sources=await web.browsing.sources.get(),
        format_seconds=format_seconds,
        zone=find_time_zone(zone),
    )


def build_chart(delays: tuple[DelayBin, ...]) -> tuple[HistogramBar, ...]:
    """Bars as high as their share of the fullest bin; a bin with a goal is never invisible."""
    most = max((one.goals for one in delays), default=0) or 1
    bars, since = [], 0
    for one in delays:
        height = max(round(_CHART_HEIGHT * one.goals / most), 2 if one.goals else 0)
        below = one.below_seconds
        label = f"{since}+" if below is None else f"{since}–{below // _SECONDS_PER_MINUTE}"
        bars.append(HistogramBar(label, one.goals, height, _CHART_HEIGHT - height))
        since = since if below is None else below // _SECONDS_PER_MINUTE
    return tuple(bars)


def format_seconds(seconds: float | None) -> str:
    """`2 min 05 s`; a dash before the first clip."""
    if seconds is None:
        return "–"
    whole = round(seconds)
    minutes, rest = divmod(whole, _SECONDS_PER_MINUTE)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
