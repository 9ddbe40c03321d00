"""The scorecard as one self-contained HTML page."""

from html import escape

from found_footy_sim.scorecard.card import GoalRow, Scorecard
from found_footy_sim.scorecard.costs import ProgramCost
from found_footy_sim.scorecard.distribution import Distribution
from found_footy_sim.scorecard.html_parts import (
    render_faults,
    render_page,
    render_section,
    render_sources,
    render_targets,
    render_tiles,
)
from found_footy_sim.scorecard.svg_charts import (
    ChartBar,
    ChartLane,
    LaneMark,
    render_bars,
    render_histogram,
    render_lanes,
)
from found_footy_sim.scorecard.target import NOT_MEASURED
from found_footy_sim.scorecard.targets import evaluate_targets
from found_footy_sim.scorecard.uploads_html import render_uploads

_MIB = 2**20
_GOAL_STAGES = (
    ("posted", "first right post"),
    ("confirmed", "confirmed"),
    ("first", "first clip"),
    ("best", "best clip"),
)


def render_html(card: Scorecard) -> str:
    how, reached = card.conditions, evaluate_targets(card)
    good = all(target.met for target in reached)
    parts = (
        _render_header(card, good),
        _render_tiles(card),
        render_section("Targets", render_targets(reached)),
        render_section("From goal to clip, in match seconds", _render_legend() + _render_timeline(card)),
        render_section("How long until the first clip", _render_times(card)),
        render_section("What searches found, and what was refused", _render_search(card)),
        render_section("What is published", _render_published(card)),
        render_section("Outcomes of posts, by what they really show", _render_confusion(card)),
        render_section(
            "CPU time by program", _render_cpu(card) if card.costs.is_measured else f"<p>{NOT_MEASURED}</p>"
        ),
        render_section(
            "Peak memory by program", _render_memory(card) if card.costs.is_measured else f"<p>{NOT_MEASURED}</p>"
        ),
        render_section("Work of the servers", _render_server_work(card)),
        render_section("Sources", render_sources(card.sources)) if card.sources else "",
        render_section("Injected faults", render_faults(card.faults)) if card.faults else "",
        render_section("Faults of the archive", _render_archive_faults(card)) if card.archive_faults else "",
        render_uploads(card.uploads) if card.uploads else "",
    )
    return render_page(f"Scorecard: {how.size} {how.seed}", "".join(parts))


def _render_header(card: Scorecard, good: bool) -> str:
    how = card.conditions
    facts = [
        f"world {how.size}",
        f"seed {how.seed}",
        f"{how.speed:g} times as fast",
        how.searches,
        how.reader,
        *how.deviations,
    ]
    facts += ["with faults" if how.chaos else "", f"{card.costs.wall_seconds:.0f} s in all"]
    said = "every target met" if good else "not every target met"
    return (
        f'<header><h1>Match day scorecard <span class="tag">SIMULATED</span></h1>'
        f"<p>{escape(', '.join(fact for fact in facts if fact))}</p>"
        f'<p class="{"good" if good else "bad"}">{said}</p></header>'
    )


def _render_tiles(card: Scorecard) -> str:
    goals, clips = card.goals, card.clips
    tiles = (
        (f"{goals.watchable}/{goals.had_clip}", "goals watchable"),
        (_format_median(card.first), "median to first clip"),
        (f"{clips.wrong_verified.part}/{clips.wrong_verified.whole}", "verified clips wrong"),
        (str(clips.not_showing), "clips without the goal"),
        (str(clips.copies.published), "copies published"),
        (f"{card.per_goal(card.costs.cpu_seconds):.1f} s" if card.costs.is_measured else "–", "CPU per goal"),
    )
    return render_tiles(tiles)


def _format_median(spread: Distribution) -> str:
    return "–" if spread.p50 is None else f"{spread.p50:.0f} s"


def _render_legend() -> str:
    return '<p class="legend">' + "".join(f'<i class="{kind}"></i>{name} ' for kind, name in _GOAL_STAGES) + "</p>"


def _first_clip_limit(card: Scorecard) -> float:
    return card.conditions.debounce + 60


def _render_timeline(card: Scorecard) -> str:
    return render_lanes([_build_lane(row) for row in card.rows], "Stages of each goal", _first_clip_limit(card))


def _build_lane(row: GoalRow) -> ChartLane:
    times = {"posted": row.posted, "confirmed": row.confirmed, "first": row.first, "best": row.best}
    marks = tuple(
        LaneMark(kind, value, f"{row.label}: {name} after {value:.0f} s")
        for kind, name in _GOAL_STAGES
        if (value := times[kind]) is not None
    )
    return ChartLane(f"{row.label}{'' if row.stands else ' (VAR)'}", marks, faded=not row.stands)


def _render_times(card: Scorecard) -> str:
    named = (
        ("first right post", card.posted),
        ("confirmed", card.confirmed),
        ("first clip", card.first),
        ("first clip, from the first right post", card.waited),
        ("best clip", card.best),
    )
    rows = "".join(
        f"<tr><td>{name}</td><td>{spread.count}</td><td>{spread.never or ''}</td><td>{_format_seconds(spread.p50)}</td>"
        f"<td>{_format_seconds(spread.p95)}</td><td>{_format_seconds(spread.most)}</td></tr>"
        for name, spread in named
    )
    head = "<tr><th>match seconds to</th><th>goals</th><th>never</th><th>p50</th><th>p95</th><th>most</th></tr>"
    histogram = render_histogram(card.first, "Seconds to the first clip", _first_clip_limit(card))
    return f"{histogram}<table>{head}{rows}</table>"


def _render_search(card: Scorecard) -> str:
    search = card.search
    found = "".join(f"<tr><td>{escape(names)}</td><td>{rate}</td></tr>" for names, rate in search.by_names)
    refused = "".join(f"<tr><td>{escape(reason)}</td><td>{count}</td></tr>" for reason, count in search.refused_by)
    missing = "".join(f"<tr><td>{escape(why)}</td><td>{count}</td></tr>" for why, count in card.goals.without_clip)
    return (
        f"<p>Right posts that name the scorer, and were found: {search.recall}.</p>"
        f"<table><tr><th>the scorer is named</th><th>found</th></tr>{found}</table>"
        f"<p>Right clips that were found and refused: {search.refused}.</p>"
        f"<table><tr><th>outcome</th><th>right clips</th></tr>{refused}</table>"
        f"<table><tr><th>goals without a right clip, because</th><th>goals</th></tr>{missing}</table>"
    )


def _format_seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f}"


def _render_published(card: Scorecard) -> str:
    rows = [
        ChartBar(
            grade.replace("_", " "), (("verified", verified), ("unverified", unverified)), f"{verified + unverified}"
        )
        for grade, verified, unverified in card.clips.grades
    ]
    copies = card.clips.copies
    words = (
        f"{copies.true} posts were copies of a post that was kept; {copies.published} of them are published beside it, "
        f"{copies.across_pools} of these because only one shows a readable clock. "
        f"{copies.swallowed} of {copies.recordings} recordings were wrongly merged as copies of another and are not "
        "published."
    )
    key = '<p class="legend"><i class="verified"></i>minute verified <i class="unverified"></i>not verified</p>'
    return f"{key}{render_bars(rows, 'Published clips')}<p>{words}</p>"


def _render_confusion(card: Scorecard) -> str:
    table = card.outcomes
    head = "".join(f"<th>{escape(column.replace('_', ' '))}</th>" for column in table.columns)
    rows = "".join(
        f"<tr><th>{escape(row.replace('_', ' '))}</th>"
        + "".join(_render_cell(table.count_at(row, column), table.total) for column in table.columns)
        + "</tr>"
        for row in table.rows
    )
    return f'<div class="wide"><table class="heat"><tr><th>truth ↓ outcome →</th>{head}</tr>{rows}</table></div>'


def _render_cell(count: int, total: int) -> str:
    heat = min(1.0, 4 * count / max(1, total))
    return f'<td style="--heat:{heat:.2f}">{count or ""}</td>'


def _render_cpu(card: Scorecard) -> str:
    ordered = sorted(card.costs.programs, key=lambda program: (not program.ours, -program.cpu_seconds))
    rows = [_build_cpu_bar(program, card.costs.cpu_seconds or 1.0) for program in ordered]
    key = (
        '<p class="legend"><i class="verified"></i>the program itself <i class="unverified"></i>short-lived children '
        '<i class="confirmed"></i>not the product: simulates the world, or measures</p>'
    )
    words = f"<p>{card.costs.cpu_seconds:.0f} CPU seconds, {card.per_goal(card.costs.cpu_seconds):.1f} per goal.</p>"
    return f"{key}{render_bars(rows, 'CPU seconds by program')}{words}"


def _build_cpu_bar(program: ProgramCost, whole: float) -> ChartBar:
    if not program.ours:
        return ChartBar(program.name, (("confirmed", program.cpu_seconds),), f"{program.cpu_seconds:.0f} s")
    parts = (("verified", program.own), ("unverified", program.children))
    return ChartBar(program.name, parts, f"{program.cpu_seconds:.0f} s, {program.cpu_seconds / whole:.0%}")


def _render_memory(card: Scorecard) -> str:
    ordered = sorted(card.costs.programs, key=lambda program: -program.peak_memory)
    rows = [ChartBar(p.name, (("verified", p.peak_memory / _MIB),), f"{p.peak_memory // _MIB} MB") for p in ordered]
    return f"{render_bars(rows, 'Peak memory by program')}<p>Together at most {card.costs.peak_memory // _MIB} MB.</p>"


def _render_server_work(card: Scorecard) -> str:
    groups = (("database operations", card.costs.database), ("Temporal history events", card.costs.history))
    plots = ""
    for name, counts in groups:
        ordered = sorted(counts.items(), key=lambda item: -item[1])
        rows = [
            ChartBar(kind, (("verified", float(count)),), f"{card.per_goal(count):.0f} per goal")
            for kind, count in ordered
        ]
        plots += f"<h3>{name}: {card.per_goal(sum(counts.values())):.0f} per goal</h3>{render_bars(rows, name)}"
    return f"{plots}<p>{card.per_goal(card.attempts):.1f} searches per goal.</p>"


def _render_archive_faults(card: Scorecard) -> str:
    return "<ul>" + "".join(f"<li>{escape(fault)}</li>" for fault in card.archive_faults or ()) + "</ul>"
