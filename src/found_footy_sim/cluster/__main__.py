"""`python -m found_footy_sim.cluster`"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from found_footy_sim.cluster.command import ClusterOptions, run_cluster_test
from found_footy_sim.world import WorldSize

# No two goals of one side are close together on this small day: which of them a clip shows is another test's subject.
_CALM_SEED = 11


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m found_footy_sim.cluster",
        description="Play a simulated match day on a cluster on this machine, and kill its members meanwhile.",
    )
    parser.add_argument("--world", choices=list(WorldSize), default=WorldSize.SMALL, help="size of the match day")
    parser.add_argument("--speed", type=float, default=2.5, help="match minutes per real minute")
    parser.add_argument("--seed", type=int, default=_CALM_SEED, help="seed of the match day and of the uploads")
    parser.add_argument("--images", type=int, default=51, help="names that an organization uploads meanwhile")
    parser.add_argument("--limit", type=int, default=780, help="seconds after which the day is abandoned")
    parser.add_argument("--report", type=Path, help="folder of the scorecard and of the failovers' figures")
    parser.add_argument("--no-kills", action="store_true", help="the same without killing anything, to compare with")
    given = parser.parse_args(argv)
    folder = given.report or Path(tempfile.gettempdir()) / f"found-footy-cluster-report-{os.getpid()}"
    return run_cluster_test(
        ClusterOptions(
            given.world, given.speed, given.seed, given.images, given.limit, folder.absolute(), not given.no_kills
        )
    )


if __name__ == "__main__":
    sys.exit(main())
