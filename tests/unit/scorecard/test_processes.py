"""What programs take, by the kernel's count."""

import os
from pathlib import Path

from found_footy.scorecard.processes import Counters, Meter, Process, Use, parse_stat, running, shared_fairly, use_of

STAT = "4242 (a (strange) name) S 17 4242 4242 0 -1 4194560 9 0 0 0 250 50 30 20 20 0 4 0 77 1000 25 " + "0 " * 20


def test_a_line_of_the_kernel_is_read_whatever_the_name() -> None:
    ticks, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    assert parse_stat(4242, STAT) == Process(4242, 17, 300 / ticks, 50 / ticks, 25 * page)


def test_a_program_is_charged_for_all_that_it_started() -> None:
    everyone = [Process(1, 0, 9, 9, 0), Process(10, 1, 1, 2, 0), Process(11, 10, 3, 0, 0), Process(12, 11, 4, 1, 0)]
    assert use_of({"worker": 10}, everyone, measure_memory=False) == {"worker": Use(8, 3)}


def test_a_program_inside_another_is_charged_for_itself() -> None:
    everyone = [Process(10, 1, 1, 0, 0), Process(11, 10, 5, 0, 0)]
    uses = use_of({"demo": 10, "worker": 11}, everyone, measure_memory=False)
    assert (uses["demo"].own, uses["worker"].own) == (1, 5)


def test_lives_of_a_program_are_added_and_its_highest_memory_is_kept() -> None:
    meter = Meter()
    meter.note({"worker": 10}, {"worker": Use(1, 2, 500)})
    meter.note({"worker": 10}, {"worker": Use(3, 2, 700)})
    meter.note({"worker": 11, "web": 5}, {"worker": Use(1, 0, 100), "web": Use(1, 0, 650)})
    assert meter.totals() == {"worker": Use(4, 2, 700), "web": Use(1, 0, 650)}
    assert meter.peak == 750


def test_what_was_taken_before_the_beginning_is_not_counted() -> None:
    meter = Meter()
    meter.begin({"worker": 10}, {"worker": Use(5, 1)})
    meter.note({"worker": 10}, {"worker": Use(6, 4)})
    meter.note({"worker": 11}, {"worker": Use(2, 0)})
    assert meter.totals() == {"worker": Use(3, 3)}


def test_counters_that_begin_anew_are_added_up() -> None:
    counters = Counters()
    for count in (100, 130, 5, 7):
        counters.note({"query": count})
    assert counters.totals == {"query": 37}


def test_this_process_is_found_and_measured() -> None:
    own = next(process for process in running() if process.pid == os.getpid())
    assert own.own > 0
    assert 0 < shared_fairly(own) <= own.resident * 2


def test_where_there_is_no_such_count_nothing_is_measured(tmp_path: Path) -> None:
    assert running(tmp_path / "proc") == []
