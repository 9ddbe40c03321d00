"""How everything that the product stands on is doing: asked by a real operation, told for people."""

import asyncio
from collections.abc import Sequence

from found_footy.app import App, search_report, vision_settings
from found_footy.discovery.standing import InstanceReport, PoolReport
from found_footy.fixtures.feed_report import feed_report
from found_footy.fixtures.store import FixtureStore
from found_footy.platform import probes
from found_footy.platform.errors import FoundFootyError
from found_footy.platform.probes import ProbeResult
from found_footy.platform.version import build
from found_footy.settings import Settings
from found_footy.vision.report import reader_report
from found_footy.web.deps import AddClip, Dependency, WebDeps, utc_now

_FEED = "football feed"
_SEARCH = "search"
_VISION = "reader of clips"


async def probe_everything(settings: Settings) -> Sequence[ProbeResult]:
    """The platform's servers, asked all at once."""
    return await asyncio.gather(
        probes.probe_mongo(settings.mongo),
        probes.probe_temporal(settings.temporal),
        probes.probe_objects(settings.objects),
        probes.probe_queue(settings.nats),
    )


async def outside(app: App) -> list[Dependency]:
    """The outside systems that clips depend on. None of them is needed to show what is there already."""
    return list(await asyncio.gather(_feed(app), _search(app.settings), vision(app.settings)))


async def vision(settings: Settings) -> Dependency:
    """Who looks at clips, and whether they can."""
    report = await reader_report(vision_settings(settings), settings.data_dir)
    return Dependency(_VISION, report.ok, report.detail, report.remedy, required=False)


async def _feed(app: App) -> Dependency:
    """By what the last polls left behind: asking again would cost a call of the day's allowance."""
    try:
        state = await FixtureStore(app.database).feed_state()
    except FoundFootyError as error:
        return Dependency(_FEED, False, f"not known: {error}", required=False)
    if not state and not app.settings.fixtures.feed_key.get_secret_value():
        return Dependency(_FEED, False, "no key", "set API_FOOTBALL_KEY", required=False)
    report = feed_report(state, utc_now())
    remedy = "" if report.ok else "see the worker's log; it goes on by itself once the feed answers"
    return Dependency(_FEED, report.ok, report.text, remedy, required=False)


async def _search(settings: Settings) -> Dependency:
    report = await search_report(settings)
    remedy = "" if report.fit else "start `found-footy xsearch` and log in, or set TWITTER_SERVICE_URL"
    return Dependency(_SEARCH, report.fit > 0, _described(report), remedy, required=False)


def _described(report: PoolReport) -> str:
    parts = [f"{report.fit} of {len(report.instances)} search services fit"]
    if report.limit:
        parts.append(f"{report.left} of {report.limit} searches left in this window")
    parts += [_unfit(one) for one in report.instances if one.standing.fit is False]
    return "; ".join(parts)


def _unfit(one: InstanceReport) -> str:
    detail = f" ({one.standing.detail})" if one.standing.detail else ""
    return f"{one.base}: {one.standing.state}{detail}"


def web_deps(app: App, add_clip: AddClip | None = None) -> WebDeps:
    settings = app.settings

    async def dependencies() -> Sequence[Dependency]:
        servers, others = await asyncio.gather(probe_everything(settings), outside(app))
        # The queue serves organization uploads; goals and clips do without it.
        return [Dependency(r.system, r.ok, r.detail, r.remedy, required=r.system != "NATS") for r in servers] + others

    return WebDeps(
        database=app.database,
        objects=app.objects,
        probes=dependencies,
        version=build().version,
        commit=build().commit,
        simulated=settings.simulated,
        attempts_wanted=settings.pace.attempts,
        settings=settings.web,
        add_clip=add_clip,
    )
