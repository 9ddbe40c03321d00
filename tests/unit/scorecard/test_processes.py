"""What programs take, by the kernel's count."""

import os
from pathlib import Path

from found_footy_sim.scorecard.process_usage import (
    ProcessStat,
    ResettingCounters,
    ResourceUsage,
    UsageMeter,
    list_processes,
    measure_proportional_memory,
    measure_usage,
    parse_stat,
)

STAT = "4242 (a (strange) name) S 17 4242 4242 0 -1 4194560 9 0 0 0 250 50 30 20 20 0 4 0 77 1000 25 " + "0 " * 20


def test_a_line_of_the_kernel_is_read_whatever_the_name() -> None:
    ticks, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    assert parse_stat(4242, STAT) == ProcessStat(4242, 17, 300 / ticks, 50 / ticks, 25 * page)


def test_a_program_is_charged_for_all_that_it_started() -> None:
    everyone = [
        ProcessStat(1, 0, 9, 9, 0),
        ProcessStat(10, 1, 1, 2, 0),
        ProcessStat(11, 10, 3, 0, 0),
        ProcessStat(12, 11, 4, 1, 0),
    ]
    assert measure_usage({"worker": 10}, everyone, measure_memory=False) == {"worker": ResourceUsage(8, 3)}


def test_a_program_inside_another_is_charged_for_itself() -> None:
    everyone = [ProcessStat(10, 1, 1, 0, 0), ProcessStat(11, 10, 5, 0, 0)]
    uses = measure_usage({"demo": 10, "worker": 11}, everyone, measure_memory=False)
    assert (uses["demo"].own_cpu_seconds, uses["worker"].own_cpu_seconds) == (1, 5)


def test_runs_of_a_program_are_added_and_its_highest_memory_is_kept() -> None:
    meter = UsageMeter()
    meter.add_sample({"worker": 10}, {"worker": ResourceUsage(1, 2, 500)})
    meter.add_sample({"worker": 10}, {"worker": ResourceUsage(3, 2, 700)})
    meter.add_sample({"worker": 11, "web": 5}, {"worker": ResourceUsage(1, 0, 100), "web": ResourceUsage(1, 0, 650)})
    assert meter.compute_totals() == {"worker": ResourceUsage(4, 2, 700), "web": ResourceUsage(1, 0, 650)}
    assert meter.peak_memory == 750


def test_what_was_taken_before_the_beginning_is_not_counted() -> None:
    meter = UsageMeter()
    meter.set_baseline({"worker": 10}, {"worker": ResourceUsage(5, 1)})
    meter.add_sample({"worker": 10}, {"worker": ResourceUsage(6, 4)})
    meter.add_sample({"worker": 11}, {"worker": ResourceUsage(2, 0)})
    assert meter.compute_totals() == {"worker": ResourceUsage(3, 3)}


def test_counters_that_begin_anew_are_added_up() -> None:
    counters = ResettingCounters()
    for count in (100, 130, 5, 7):
        counters.add_sample({"query": count})
    assert counters.totals == {"query": 37}


def test_this_process_is_found_and_measured() -> None:
    own = next(process for process in list_processes() if process.pid == os.getpid())
    assert own.own_cpu_seconds > 0
    assert 0 < measure_proportional_memory(own) <= own.resident_bytes * 2


def test_where_there_is_no_such_count_nothing_is_measured(tmp_path: Path) -> None:
    assert list_processes(tmp_path / "proc") == []
