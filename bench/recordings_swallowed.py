"""How many recordings of a goal are taken for copies of another, on the clips of simulated match days.

`python -m bench.recordings_swallowed --seeds 94001 [--world full] [--share side_by_side=1] [--limit N]` takes the files
that were posted of each goal with several of them, fingerprints and compares them, and lets the archive decide which
are copies. Clips with a clock count as verified, as the reader is not run. It prints how many recordings are in no clip
(swallowed), how many clips are copies of another, and which cameras were taken for each other. No server runs.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import md5
from itertools import combinations
from pathlib import Path

from found_footy.archive.dedup.copies import ClipCopy
from found_footy.archive.dedup.decide import decide_recordings
from found_footy.fingerprint import Fingerprint, compare_fingerprints, compute_fingerprint
from found_footy_sim.media.clip_library import ClipLibrary, default_media_dir
from found_footy_sim.media.clip_truth import file_seconds
from found_footy_sim.scorecard.rates import Rate, compute_rate
from found_footy_sim.world.footage import GOAL_KINDS, FootageFile
from found_footy_sim.world.match_day import SimulatedWorld, make_world
from found_footy_sim.world.shares import WorldShares, parse_shares


@dataclass(frozen=True)
class PostedFile:
    """A file that shows a goal; `camera` is its angle."""

    footage: FootageFile
    copy: ClipCopy
    camera: int


@dataclass(frozen=True)
class GoalCount:
    """Of one goal: its recordings, those in no clip, its clips, those of a recording that has a better one, and which
    cameras of different recordings were taken for each other.
    """

    recordings: int
    swallowed: int
    clips: int
    copies: int
    confused_cameras: tuple[tuple[int, int], ...] = ()


def list_posted_files(world: SimulatedWorld) -> dict[str, list[FootageFile]]:
    """By goal, the files that show it and were posted, each once; goals with one file have nothing to confuse."""
    found: dict[str, dict[str, FootageFile]] = defaultdict(dict)
    for post in world.scenario.posts:
        file = world.truth.footage[post.clip]
        if file.goal is not None and file.kind in GOAL_KINDS:
            found[file.goal][file.clip] = file
    return {goal: list(files.values()) for goal, files in found.items() if len(files) > 1}


def find_matches(files: Sequence[PostedFile], fingerprints: Mapping[str, Fingerprint]) -> list[tuple[str, str]]:
    """The MD5s of each two files that show the same by their fingerprints."""
    return [
        (one, other)
        for one, other in combinations(sorted({file.copy.md5 for file in files}), 2)
        if compare_fingerprints(fingerprints[one], fingerprints[other]).matched
    ]


def count_goal(files: Sequence[PostedFile], pairs: Sequence[tuple[str, str]]) -> GoalCount:
    """What the archive makes of the files, if those `pairs` match."""
    by_md5 = {one.copy.md5: one for one in files}
    decided = decide_recordings((), [one.copy for one in files], by_md5.keys(), pairs)
    shown = Counter(by_md5[recording.md5].footage.recording for recording in decided.recordings)
    recordings = {one.footage.recording for one in files}
    confused = (
        (min(cameras), max(cameras))
        for one, other in pairs
        if by_md5[one].footage.recording != by_md5[other].footage.recording
        for cameras in [(by_md5[one].camera, by_md5[other].camera)]
    )
    return GoalCount(
        len(recordings),
        len(recordings - shown.keys()),
        shown.total(),
        shown.total() - len(shown),
        tuple(sorted(confused)),
    )


def count_day(seed: int, size: str, shares: WorldShares, limit: int | None) -> Iterator[GoalCount]:
    world = make_world(seed, size, shares)
    library = ClipLibrary(world.scenario, default_media_dir())
    for footage in list(list_posted_files(world).values())[:limit]:
        posted = {library.get_path(world.scenario.get_clip(file.clip)): file for file in footage}
        files = [_describe_file(world, library, file, path) for path, file in posted.items()]
        fingerprints = {one.copy.md5: compute_fingerprint(str(path)) for one, path in zip(files, posted, strict=True)}
        yield count_goal(files, find_matches(files, fingerprints))


def _describe_file(world: SimulatedWorld, library: ClipLibrary, file: FootageFile, path: Path) -> PostedFile:
    scene, changes = library.get_recipe(world.scenario.get_clip(file.clip))
    content = path.read_bytes()
    digest = md5(content, usedforsecurity=False).hexdigest()
    copy = ClipCopy(digest, file_seconds(scene, changes), len(content), file.clock is not None)
    return PostedFile(file, copy, scene.angle)


def render_counts(counts: Sequence[GoalCount]) -> str:
    recordings, clips = sum(one.recordings for one in counts), sum(one.clips for one in counts)
    confused: Mapping[tuple[int, int], int] = Counter(pair for one in counts for pair in one.confused_cameras)
    lines = [
        f"{len(counts)} goals with several files",
        f"recordings swallowed: {_format_rate(compute_rate(sum(one.swallowed for one in counts), recordings))}",
        f"clips that are copies of another: {_format_rate(compute_rate(sum(one.copies for one in counts), clips))}",
        *(f"cameras {one} and {other} taken for each other: {n}" for (one, other), n in sorted(confused.items())),
    ]
    return "\n".join(lines)


def _format_rate(rate: Rate) -> str:
    return f"{rate.part} of {rate.whole} ({rate.low:.1%} to {rate.high:.1%})"


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", required=True)
    parser.add_argument("--world", choices=["small", "demo", "full"], default="full")
    parser.add_argument("--share", action="append", default=[], help="a share of the match day, NAME=VALUE")
    parser.add_argument("--limit", type=int, help="only the first goals of each day")
    wanted = parser.parse_args(argv)
    shares = parse_shares(wanted.share)
    counts: list[GoalCount] = []
    for seed in wanted.seeds:
        for count in count_day(seed, wanted.world, shares, wanted.limit):
            counts.append(count)
            if count.swallowed:
                print(f"{seed}: {count}", flush=True)
    print(render_counts(counts))


if __name__ == "__main__":
    main()
