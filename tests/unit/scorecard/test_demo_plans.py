"""How the demo is planned: its settings at a speed, its searches, and what is broken when."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from found_footy.cli import programs
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.errors import ConfigError
from found_footy.platform.settings.groups import list_variables
from found_footy.settings import Settings, load_settings
from found_footy.vision.expectation import ProofRules
from found_footy_sim.demo import browser_search, command
from found_footy_sim.demo.chaos_injector import schedule_faults
from found_footy_sim.demo.command_options import ProofPart, build_proof_settings
from found_footy_sim.demo.startup import count_clips_to_render
from found_footy_sim.demo.world import DemoWorld, debounce_seconds
from found_footy_sim.uploads.run import UploadsPlan, uploads_environment

FAULTS = ("worker", "temporal", "mongodb", "seaweedfs", "reader", "session")


def world(speed: float, **more: object) -> DemoWorld:
    return DemoWorld("demo", speed, Path("data"), 9001, 9002, **more)  # type: ignore[arg-type]


def settings(speed: float) -> Settings:
    return load_settings(world(speed).build_environment({"FOOTY_PACE__SPACING": "7s", "MONGODB_URI": "x"})).settings


@pytest.mark.parametrize("speed", [1, 5, 7, 12, 60, 120])
def test_the_product_runs_at_the_speed_of_the_world(speed: float) -> None:
    at_speed, usual = settings(speed), Settings()
    assert at_speed.pace.attempts == usual.pace.attempts
    assert at_speed.fixtures.monitor_interval % timedelta(seconds=1) == timedelta(0)
    for ours, real in [
        (at_speed.pace.spacing, usual.pace.spacing),
        (at_speed.fixtures.monitor_interval, usual.fixtures.monitor_interval),
        (at_speed.pace.search_window, usual.pace.search_window),
    ]:
        assert real / speed <= ours <= max(real / speed + timedelta(seconds=1), timedelta(seconds=1))


def test_nothing_that_was_set_for_real_reaches_the_demo_by_whatever_name(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("mongodb://production.example.org/")
    ours = {name: str(secret) for names in list_variables(Settings) for name in names}
    machines = {"CHROMIUM_PATH": "/opt/chromium", "LOG_LEVEL": "ERROR", "LOG_FORMAT": "pretty"}
    env = world(5).build_environment({**ours, **machines, "PATH": "/bin"})
    assert str(secret) not in env.values()
    assert env == world(5).build_environment({**machines, "PATH": "/bin"})
    assert machines.items() <= env.items()
    assert load_settings(env).settings.mongo == Settings().mongo


@pytest.mark.parametrize("part", ProofPart)
def test_a_part_of_the_clip_check_can_be_switched_off(part: ProofPart) -> None:
    played = world(5, extra_settings=build_proof_settings([part]))
    rules = load_settings(played.build_environment({})).settings.vision.proof_rules
    assert rules == replace(ProofRules(), **{part.value: False})


def test_the_confirmation_time_is_given_in_match_seconds() -> None:
    assert debounce_seconds(settings(5), 5) == 90
    assert debounce_seconds(settings(60), 60) == 180


def test_a_world_is_played_by_its_seed_and_a_scenario_by_its_name() -> None:
    assert world(5).simulator_arguments[:2] == ("--scenario", "demo")
    assert world(5, seed=3).simulator_arguments[:4] == ("--world", "demo", "--seed", "3")


def test_the_shares_of_a_world_reach_the_simulator_and_one_that_is_none_is_refused() -> None:
    arguments = world(5, seed=3, shares=("doubles=0.5", "filmed=0")).simulator_arguments
    assert arguments[4:8] == ("--share", "doubles=0.5", "--share", "filmed=0")
    with pytest.raises(ConfigError, match="unknown share colour; there are goals_close"):
        command.command(share=["colour=1"])


def test_the_browser_searches_the_simulated_site_within_a_budget_of_match_time() -> None:
    played = browser_search.with_browser_search(world(5, seed=1))
    env = browser_search.build_search_program(played, "/usr/bin/chromium", played.build_environment({})).env
    assert env is not None
    service = load_settings(env).settings.xsearch
    assert service.site == browser_search.site_url(played)
    assert service.requests_per_window == 40
    assert service.window == timedelta(minutes=15) / 5 / browser_search.SIMULATED_ACCOUNTS


def test_the_worker_of_the_demo_searches_through_its_browser_which_does_not_get_the_address_of_other_services() -> None:
    played = browser_search.with_browser_search(world(5, seed=1))
    env = played.build_environment({})
    endpoints = PlatformEndpoints("mongodb", "temporal", "s3", "key", "secret")
    worker = programs.build_worker_program(load_settings(env).settings, endpoints, env).env
    service = browser_search.build_search_program(played, "/usr/bin/chromium", env)
    assert worker is not None
    assert service.env is not None
    assert load_settings(worker).settings.discovery.search_urls == (played.search_url,) == (service.address,)
    assert played.search_url not in service.env.values()


def test_no_setting_shortens_the_window_of_the_real_site() -> None:
    with pytest.raises(ConfigError, match="FOOTY_XSEARCH__WINDOW"):
        load_settings({"FOOTY_XSEARCH__WINDOW": "1m"})


@pytest.mark.parametrize(
    ("wanted", "speed", "with_browser"),
    [(True, 5, True), (True, 60, True), (False, 5, False), (None, 5, True), (None, 15, True), (None, 60, False)],
)
def test_the_way_of_searching_is_printed_in_one_line_and_chosen_by_the_speed_by_default(
    wanted: bool | None, speed: float, with_browser: bool
) -> None:
    assert "\n" not in browser_search.plan_search({}, speed, wanted=wanted).explanation
    assert (
        bool(browser_search.plan_search({"CHROMIUM_PATH": "/opt/chromium"}, speed, wanted=wanted).browser)
        == with_browser
    )


def test_a_goal_has_half_an_hour_of_real_time_at_any_speed() -> None:
    assert settings(60).fixtures.event_deadline == timedelta(minutes=30)
    assert settings(1).fixtures.event_deadline == Settings().fixtures.event_deadline


def test_a_seed_decides_when_each_fault_is_injected_and_each_is_injected_once() -> None:
    first, again, other = (schedule_faults(seed, FAULTS, 5) for seed in (1, 1, 2))
    assert first == again != other
    assert sorted(moment.fault for moment in first) == sorted(FAULTS)
    assert [moment.seconds for moment in first] == sorted(moment.seconds for moment in first)
    assert all(moment.seconds < 480 / 5 for moment in first)


@pytest.mark.parametrize(
    ("faults", "first"),
    [
        (FAULTS, ["session", "reader", "worker"]),
        ([fault for fault in FAULTS if fault != "session"], ["reader", "worker"]),
    ],
)
def test_the_session_expires_while_searches_remain_and_the_worker_is_killed_while_clips_remain(
    faults: Sequence[str], first: list[str]
) -> None:
    for seed in range(20):
        assert [moment.fault for moment in schedule_faults(seed, faults, 5)][: len(first)] == first


@pytest.mark.parametrize(
    ("speed", "drawn_until", "left", "waited", "whole", "waits_for"),
    [
        (5, None, 0, 1, False, 0),
        (5, None, 0, 1, True, 0),
        (5, 149.0, 40, 1, False, 40),
        (5, 150.0, 40, 1, False, 0),
        (5, 700.0, 3, 1, True, 3),
        (60, 7199.0, 40, 39, False, 40),
        (60, 7200.0, 40, 1, False, 0),
        (60, 1799.0, 40, 41, False, 40),
        (60, 1800.0, 40, 41, False, 0),
        (60, 7200.0, 40, 41, True, 40),
    ],
)
def test_the_day_begins_when_the_clips_of_its_first_30_real_seconds_are_drawn_more_if_it_is_fast_or_all_if_asked(
    speed: float, drawn_until: float | None, left: int, waited: float, whole: bool, waits_for: int
) -> None:
    state = {"drawn_until": drawn_until, "clips_to_render": left}
    assert count_clips_to_render(state, speed, waited, render_all=whole) == waits_for


def test_without_uploads_the_demo_switches_them_off() -> None:
    env = world(5, extra_settings=uploads_environment(None)).build_environment({})
    assert not load_settings(env).settings.uploads.enabled


def test_what_nobody_told_of_is_found_within_the_afternoon() -> None:
    plan = UploadsPlan(1, 17, "0123456789abcdef0123456789abcdef")
    env = world(5, extra_settings=uploads_environment(plan)).build_environment({})
    found = load_settings(env).settings.uploads
    assert found.enabled
    assert found.reconcile_interval <= timedelta(seconds=5)
    assert found.notification_secret is not None
    assert found.notification_secret.get_secret_value() == plan.secret
    assert plan.secret not in repr(plan)
