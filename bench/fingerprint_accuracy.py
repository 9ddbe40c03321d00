"""How often two clips are rightly called copies, and how often wrongly: by motion, and by the text fingerprint's rule.

    python -m bench.fingerprint_accuracy [--videos DIR] [--held-back] [--folder DIR] [--jobs 2]

Films come from the media factory and, if given, from the videos in DIR. Every change is encoded anew and compared with
the original. Strangers are compared in pairs: other moments before the same camera, with the same furniture around
them, and clips that have nothing in common. Thresholds were set on other seeds and videos than `--held-back` uses.
"""

import argparse
import random
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, pairwise
from multiprocessing import get_context
from pathlib import Path

from bench import fingerprint_films as films
from bench.fingerprint_changes import BEYOND, COPIES, FURNITURE, HEAVY, LONG_COPIES, ORIGINAL, Made, cards
from bench.fingerprint_films import Source
from found_footy.fingerprint import (
    Fingerprint,
    FingerprintIndex,
    FingerprintMatch,
    compare_fingerprints,
    compute_fingerprint,
)
from tests.support.fingerprint.scenes import Film, write

UNRELATED_PAIRS = 1000
QUALITIES = (26, 30, 34)
DIFFERENT = "two changed copies"

Prints = dict[str, Fingerprint]
Pair = tuple[str, Fingerprint, Fingerprint]


@dataclass
class Table:
    title: str
    asked: list[tuple[str, Pair]] = field(default_factory=list)
    pairs: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    motion: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    text: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    said: list[tuple[str, str, FingerprintMatch]] = field(default_factory=list)

    def note(self, row: str, pair: Pair) -> None:
        self.asked.append((row, pair))
        self.pairs[row] += 1

    def judge(self, jobs: int) -> None:
        """In children that inherit what is asked, and send back answers only."""
        with ProcessPoolExecutor(jobs, get_context("fork"), initializer=_inherit, initargs=(self.asked,)) as pool:
            answers = pool.map(_judged, range(len(self.asked)), chunksize=16)
            for (row, (name, _, _)), (found, text) in zip(self.asked, answers, strict=True):
                self.motion[row] += found.matched
                self.text[row] += text
                self.said.append((row, name, found))

    def show(self) -> None:
        print(f"\n| {self.title} | pairs | motion | text rule |\n|---|---|---|---|")
        for row in self.pairs:
            print(f"| {row} | {self._cells(row)} |")
        if len(self.pairs) > 1:
            print(f"| **all** | {self._cells(*self.pairs)} |")

    def _cells(self, *rows: str) -> str:
        count = sum(self.pairs[row] for row in rows)
        hits = [sum(of[row] for row in rows) for of in (self.motion, self.text)]
        return " | ".join([str(count), *(f"{n} ({100 * n / count:.1f} %)" for n in hits)])

    def surprises(self, expected: bool) -> Iterator[str]:
        for row, name, found in self.said:
            if found.matched is not expected:
                yield f"{row}: {name}: {found.score:.2f} {found.evidence}"


_inherited: list[tuple[str, Pair]] = []


def _inherit(asked: list[tuple[str, Pair]]) -> None:
    _inherited[:] = asked


def _judged(number: int) -> tuple[FingerprintMatch, bool]:
    _, a, b = _inherited[number][1]
    return compare_fingerprints(a, b), compare_fingerprints(a.dense, b.dense).matched


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    arguments.add_argument("--videos", type=Path, help="a folder of real videos")
    arguments.add_argument("--held-back", action="store_true", help="the seeds that nothing was developed on")
    arguments.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "found-footy-accuracy")
    arguments.add_argument("--jobs", type=int, default=2)
    chosen = arguments.parse_args()
    seed = films.HELD_BACK if chosen.held_back else films.DEVELOPMENT
    chosen.folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(chosen.jobs) as pool:
        tables, made = measure(seed, chosen.folder, chosen.videos, pool.map)
    report(tables, made, chosen.jobs)


def measure(
    seed: int, folder: Path, videos: Path | None, spread: Callable[..., Iterable[Prints]]
) -> tuple[dict[str, Table], dict[Source, Prints]]:
    sources = [*films.factory(seed, folder), *(films.real(videos) if videos else ())]
    longs = [*films.long_shots(seed, folder), *(films.long_real(videos) if videos else ())]
    talks, halves = films.studio(folder), [*(films.halves(videos) if videos else ())]
    made = dict(zip(sources, spread(partial(usual_prints, folder), sources), strict=True))
    made_long = dict(zip(longs, spread(partial(long_prints, folder), longs), strict=True))
    made_talks = dict(zip(talks, spread(partial(plain_prints, folder), talks), strict=True))
    made_halves = dict(zip(halves, spread(partial(plain_prints, folder), halves), strict=True))
    long_copies, long_strangers = found_long(made_long)
    return {
        "copies": found_copies(made),
        "strangers": found_strangers(made, made_halves, folder),
        "pans": found_pans(seed, folder),
        "unrelated": found_unrelated(made),
        "long copies": long_copies,
        "long strangers": long_strangers,
        "beyond": found_beyond(made),
        "weaknesses": found_heavy(made, made_talks),
    }, made


def report(tables: dict[str, Table], made: dict[Source, Prints], jobs: int) -> None:
    for name, table in tables.items():
        table.judge(jobs)
        table.show()
        if name in ("copies", "long copies"):
            print("\nmissed:", *table.surprises(True), sep="\n  ", flush=True)
        elif name != "beyond":
            print("\nwrongly matched:", *table.surprises(False), sep="\n  ", flush=True)
    print(found_by_index(made))


def printed(folder: Path, name: str, make: Callable[[], Film]) -> Fingerprint:
    """Encoded once and kept, fingerprinted each time. Qualities differ, but are the same in every run."""
    key = zlib.crc32(name.encode())
    path = folder / f"{key:08x}.mp4"
    if not path.exists():
        write(make(), path.with_suffix(".part.mp4"), crf=QUALITIES[key % len(QUALITIES)]).rename(path)
    return compute_fingerprint(path)


def prints_of(folder: Path, source: Source, changes: dict[str, Made]) -> Prints:
    loaded: list[Film] = []

    def film(change: Made) -> Film:
        loaded[:] = loaded or [source.film()]
        return change(loaded[0])

    return {name: printed(folder, f"{source} {name}", partial(film, change)) for name, change in changes.items()}


def plain_prints(folder: Path, source: Source) -> Prints:
    return prints_of(folder, source, {ORIGINAL: lambda f: f})


def usual_prints(folder: Path, source: Source) -> Prints:
    changes = {f"with {name}": made for name, made in {**FURNITURE, **HEAVY}.items()}
    if source.changed:
        changes |= {**COPIES, **BEYOND}
    prints = {**plain_prints(folder, source), **prints_of(folder, source, changes)}
    if source.filmed:
        prints["filmed off a screen"] = compute_fingerprint(source.filmed)
    return prints


def long_prints(folder: Path, source: Source) -> Prints:
    return {**plain_prints(folder, source), **prints_of(folder, source, LONG_COPIES)}


def found_copies(made: dict[Source, Prints]) -> Table:
    table = Table("copies found")
    for change in COPIES:
        for source, prints in made.items():
            if change in prints:
                table.note(change, (source.name, prints[ORIGINAL], prints[change]))
    names = [name for name in COPIES if not name.startswith(("fan", "trimmed to"))]
    for source, prints in made.items():
        for one, other in zip(names, names[7:] + names[:7], strict=True) if source.changed else ():
            table.note(DIFFERENT, (f"{source.name}: {one} and {other}", prints[one], prints[other]))
    return table


def found_beyond(made: dict[Source, Prints]) -> Table:
    table = Table("found beyond what is promised")
    for change in [*BEYOND, "filmed off a screen"]:
        for source, prints in made.items():
            if change in prints:
                table.note(change, (source.name, prints[ORIGINAL], prints[change]))
    return table


def found_strangers(made: dict[Source, Prints], halves: dict[Source, Prints], folder: Path) -> Table:
    """Pairs of one ground, and neighbours of different grounds, each with the same furniture."""
    table = Table("hard negatives wrongly matched: another moment with")
    for furniture in FURNITURE:
        for a, b in same_ground(made):
            table.note(furniture, pair(made, a, b, f"with {furniture}"))
    for furniture in list(FURNITURE)[1:]:
        for a, b in neighbours(made):
            table.note(f"other content, same {furniture}", pair(made, a, b, f"with {furniture}"))
    for a, b in combinations(made, 2):
        if a.play and a.play == b.play:
            table.note("another camera on the same play", pair(made, a, b, ORIGINAL))
    for a, b in same_ground(halves):
        table.note("the other half of one shot", pair(halves, a, b, ORIGINAL))
    shown = {name: printed(folder, f"{name} 2", partial(lambda film: film, film)) for name, film in cards().items()}
    for one, other in combinations(shown, 2):
        table.note("still cards with other text", (f"{one} and {other}", shown[one], shown[other]))
    return table


def found_pans(seed: int, folder: Path) -> Table:
    table = Table("other plays wrongly matched: cameras that pan alike")
    shots = films.pans(seed)
    prints = {shot: printed(folder, str(shot), shot.film) for shot in shots}
    for one, other in combinations(shots, 2):
        stadium = "one stadium" if one.stadium == other.stadium else "two stadiums"
        path = "one path" if one.path == other.path else "other paths"
        both = f"{one.play} and {other.play}"
        table.note(f"{stadium}, {path}", (both, prints[one], prints[other]))
    return table


def found_heavy(made: dict[Source, Prints], talks: dict[Source, Prints]) -> Table:
    table = Table("known weakness: wrongly matched with the same")
    for furniture in HEAVY:
        for a, b in [*same_ground(made), *neighbours(made)]:
            table.note(furniture, pair(made, a, b, f"with {furniture}"))
    for a, b in combinations(talks, 2):
        table.note("animation that repeats itself", pair(talks, a, b, ORIGINAL))
    return table


def found_unrelated(made: dict[Source, Prints]) -> Table:
    table = Table("unrelated pairs wrongly matched")
    rng = random.Random(1)
    while table.pairs["any two versions"] < UNRELATED_PAIRS:
        a, b = rng.sample(list(made), 2)
        if a.ground != b.ground:
            one, other = (rng.choice([name for name in made[x] if "with " not in name]) for x in (a, b))
            both = f"{a.name}, {one} and {b.name}, {other}"
            table.note("any two versions", (both, made[a][one], made[b][other]))
    return table


def found_long(made: dict[Source, Prints]) -> tuple[Table, Table]:
    copies, strangers = Table("copies of 30 to 60 s found"), Table("long strangers wrongly matched")
    for change in LONG_COPIES:
        for source, prints in made.items():
            copies.note(change, (source.name, prints[ORIGINAL], prints[change]))
    for a, b in combinations(made, 2):
        for change in LONG_COPIES:
            strangers.note(
                "one ground" if a.ground == b.ground else "other grounds",
                (f"{a.name} and {b.name} {change}", made[a][ORIGINAL], made[b][change]),
            )
    return copies, strangers


def found_by_index(made: dict[Source, Prints]) -> str:
    """Real frames, and everything stored several times over with different furniture: harder than made-up vectors."""
    index: FingerprintIndex[tuple[str, str]] = FingerprintIndex()
    for source, prints in made.items():
        for name in (name for name in prints if name == ORIGINAL or name.startswith("with ")):
            index.add((source.name, name), prints[name])
    asked = found = 0
    for source, prints in made.items():
        for copy in (prints[name] for name in list(COPIES)[::3] if name in prints):
            if compare_fingerprints(prints[ORIGINAL], copy).matched:
                asked += 1
                found += (source.name, ORIGINAL) in [key for key, _ in index.query(copy)]
    return f"\nindex of {len(index)} clips: {found} of {asked} matches found ({100 * found / max(1, asked):.1f} %)"


def pair(made: dict[Source, Prints], a: Source, b: Source, version: str) -> Pair:
    return f"{a.name} and {b.name}", made[a][version], made[b][version]


def same_ground(made: Iterable[Source]) -> Iterator[tuple[Source, Source]]:
    return ((a, b) for a, b in combinations(made, 2) if a.ground == b.ground)


def neighbours(made: Iterable[Source]) -> Iterator[tuple[Source, Source]]:
    firsts = list({source.ground: source for source in made}.values())
    return pairwise(firsts)


if __name__ == "__main__":
    main()
