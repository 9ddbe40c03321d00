"""The scorecard as one page that needs nothing but itself."""

from html import escape

from found_footy.scorecard.card import GoalRow, Scorecard
from found_footy.scorecard.costs import ProgramCost
from found_footy.scorecard.spread import Spread
from found_footy.scorecard.style import STYLE
from found_footy.scorecard.svg import Bar, Lane, Mark, bars, histogram, lanes
from found_footy.scorecard.targets import NOT_MEASURED, Target, targets

_MIB = 2**20
_STAGES = (
    ("posted", "first right post"),
    ("confirmed", "confirmed"),
    ("first", "first clip"),
    ("best", "best clip"),
)


def as_html(card: Scorecard) -> str:
    how, reached = card.conditions, targets(card)
    good = all(target.met for target in reached)
    parts = (
        _head(card, good),
        _tiles(card),
        _section("Targets", _target_table(reached)),
        _section("From goal to clip, in match seconds", _legend() + _timeline(card)),
        _section("How long until the first clip", _times(card)),
        _section("What is published", _published(card)),
        _section("What became of posts, by what they really are", _confusion(card)),
        _section("Where the processor went", _processor(card) if card.costs.measured else f"<p>{NOT_MEASURED}</p>"),
        _section("Memory, at its highest", _memory(card) if card.costs.measured else f"<p>{NOT_MEASURED}</p>"),
        _section("Work of the servers", _work(card)),
        _section("What was broken on purpose", _faults(card)) if card.faults else "",
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Scorecard: {escape(how.size)} {how.seed}</title><style>{STYLE}</style></head>"
        f"<body>{''.join(parts)}</body></html>\n"
    )


def _head(card: Scorecard, good: bool) -> str:
    how = card.conditions
    facts = [f"world {how.size}", f"seed {how.seed}", f"{how.speed:g} times as fast", how.searches, how.reader]
    facts += ["with faults" if how.chaos else "", f"{card.costs.wall_seconds:.0f} s in all"]
    said = "every target met" if good else "not every target met"
    return (
        f'<header><h1>Match day scorecard <span class="tag">SIMULATED</span></h1>'
        f"<p>{escape(', '.join(fact for fact in facts if fact))}</p>"
        f'<p class="{"good" if good else "bad"}">{said}</p></header>'
    )


def _section(title: str, body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{body}</section>"


def _tiles(card: Scorecard) -> str:
    goals, clips = card.goals, card.clips
    wrong = clips.wrong_match_verified + clips.wrong_minute_verified
    tiles = (
        (f"{goals.watchable}/{goals.had_clip}", "goals watchable"),
        (_seconds(card.first), "median to first clip"),
        (str(wrong), "wrong clips verified"),
        (str(clips.not_showing), "clips without the goal"),
        (str(clips.copies.published), "copies published"),
        (f"{card.per_goal(card.costs.cpu_seconds):.1f} s" if card.costs.measured else "–", "CPU per goal"),
    )
    return (
        '<div class="tiles">'
        + "".join(f"<div><b>{escape(figure)}</b>{escape(name)}</div>" for figure, name in tiles)
        + "</div>"
    )


def _seconds(spread: Spread) -> str:
    return "–" if spread.p50 is None else f"{spread.p50:.0f} s"


def _target_table(reached: tuple[Target, ...]) -> str:
    rows = "".join(
        f'<tr class="{"good" if target.met else "bad"}"><td>{"✓" if target.met else "✗"}</td><td>{escape(target.name)}'
        f"</td><td>{escape(target.got)}</td><td>{escape(target.wanted)}</td></tr>"
        for target in reached
    )
    return f"<table><tr><th></th><th></th><th>got</th><th>wanted</th></tr>{rows}</table>"


def _legend() -> str:
    return '<p class="legend">' + "".join(f'<i class="{kind}"></i>{name} ' for kind, name in _STAGES) + "</p>"


def _limit(card: Scorecard) -> float:
    return card.conditions.debounce + 60


def _timeline(card: Scorecard) -> str:
    return lanes([_lane(row) for row in card.rows], "Stages of each goal", _limit(card))


def _lane(row: GoalRow) -> Lane:
    times = {"posted": row.posted, "confirmed": row.confirmed, "first": row.first, "best": row.best}
    marks = tuple(
        Mark(kind, value, f"{row.label}: {name} after {value:.0f} s")
        for kind, name in _STAGES
        if (value := times[kind]) is not None
    )
    return Lane(f"{row.label}{'' if row.stands else ' (VAR)'}", marks, faded=not row.stands)


def _times(card: Scorecard) -> str:
    named = (
        ("first right post", card.posted),
        ("confirmed", card.confirmed),
        ("first clip", card.first),
        ("first clip, from the first right post", card.waited),
        ("best clip", card.best),
    )
    rows = "".join(
        f"<tr><td>{name}</td><td>{spread.count}</td><td>{_figure(spread.p50)}</td><td>{_figure(spread.p95)}</td>"
        f"<td>{_figure(spread.most)}</td></tr>"
        for name, spread in named
    )
    head = "<tr><th>match seconds to</th><th>goals</th><th>p50</th><th>p95</th><th>most</th></tr>"
    return f"{histogram(card.first, 'Seconds to the first clip', _limit(card))}<table>{head}{rows}</table>"


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f}"


def _published(card: Scorecard) -> str:
    rows = [
        Bar(grade.replace("_", " "), (("verified", verified), ("unverified", unverified)), f"{verified + unverified}")
        for grade, verified, unverified in card.clips.grades
    ]
    copies = card.clips.copies
    words = (
        f"{copies.true} posts were copies of a post that was kept; {copies.published} of them are published beside it, "
        f"{copies.across_pools} of these because only one shows a readable clock. "
        f"{copies.swallowed} recordings were taken for copies of another and are not published."
    )
    key = '<p class="legend"><i class="verified"></i>minute verified <i class="unverified"></i>not verified</p>'
    return f"{key}{bars(rows, 'Published clips')}<p>{words}</p>"


def _confusion(card: Scorecard) -> str:
    table = card.outcomes
    head = "".join(f"<th>{escape(column.replace('_', ' '))}</th>" for column in table.columns)
    rows = "".join(
        f"<tr><th>{escape(row.replace('_', ' '))}</th>"
        + "".join(_cell(table.at(row, column), table.total) for column in table.columns)
        + "</tr>"
        for row in table.rows
    )
    return f'<div class="wide"><table class="heat"><tr><th>really ↓ became →</th>{head}</tr>{rows}</table></div>'


def _cell(count: int, total: int) -> str:
    heat = min(1.0, 4 * count / max(1, total))
    return f'<td style="--heat:{heat:.2f}">{count or ""}</td>'


def _processor(card: Scorecard) -> str:
    ordered = sorted(card.costs.programs, key=lambda program: (not program.ours, -program.seconds))
    rows = [_time_bar(program, card.costs.cpu_seconds or 1.0) for program in ordered]
    key = (
        '<p class="legend"><i class="verified"></i>itself <i class="unverified"></i>short-lived children '
        '<i class="confirmed"></i>not the product: plays the world, or watches</p>'
    )
    words = f"<p>{card.costs.cpu_seconds:.0f} CPU seconds, {card.per_goal(card.costs.cpu_seconds):.1f} per goal.</p>"
    return f"{key}{bars(rows, 'CPU seconds by program')}{words}"


def _time_bar(program: ProgramCost, whole: float) -> Bar:
    if not program.ours:
        return Bar(program.name, (("confirmed", program.seconds),), f"{program.seconds:.0f} s")
    parts = (("verified", program.own), ("unverified", program.children))
    return Bar(program.name, parts, f"{program.seconds:.0f} s, {program.seconds / whole:.0%}")


def _memory(card: Scorecard) -> str:
    ordered = sorted(card.costs.programs, key=lambda program: -program.peak_memory)
    rows = [Bar(p.name, (("verified", p.peak_memory / _MIB),), f"{p.peak_memory // _MIB} MB") for p in ordered]
    return f"{bars(rows, 'Peak memory by program')}<p>All together at most {card.costs.peak_memory // _MIB} MB.</p>"


def _work(card: Scorecard) -> str:
    groups = (("database operations", card.costs.database), ("Temporal history events", card.costs.history))
    plots = ""
    for name, counts in groups:
        ordered = sorted(counts.items(), key=lambda item: -item[1])
        rows = [
            Bar(kind, (("verified", float(count)),), f"{card.per_goal(count):.0f} per goal") for kind, count in ordered
        ]
        plots += f"<h3>{name}: {card.per_goal(sum(counts.values())):.0f} per goal</h3>{bars(rows, name)}"
    return f"{plots}<p>{card.per_goal(card.attempts):.1f} searches per goal.</p>"


def _faults(card: Scorecard) -> str:
    rows = "".join(
        f'<tr class="{"good" if fault.recovered else "bad"}"><td>{fault.at_seconds:.1f} s</td>'
        f"<td>{escape(fault.name)}</td><td>{escape(fault.detail)}</td>"
        f"<td>{fault.old_pid or ''} → {fault.new_pid or ''}</td>"
        f"<td>{'–' if fault.recovered_after is None else f'{fault.recovered_after:.1f} s'}</td></tr>"
        for fault in card.faults
    )
    return f"<table><tr><th>at</th><th>fault</th><th></th><th>pid</th><th>recovered after</th></tr>{rows}</table>"
