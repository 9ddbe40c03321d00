"""Logs: one line per record, bounded, without secrets, with the cause."""

import io
import json
import logging
from collections.abc import Iterator
from contextvars import copy_context
from datetime import UTC, datetime
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from found_footy.platform import logs
from found_footy.platform.version import build_info

logger = logging.getLogger("found_footy.kitchen")


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    logging.captureWarnings(False)
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture
def stream() -> io.StringIO:
    stream = io.StringIO()
    logs.configure_logging("DEBUG", "json", "oven", stream)
    return stream


def log_failure(error: Exception) -> None:
    try:
        raise error
    except type(error):
        logger.exception("failed")


def only(stream: io.StringIO) -> dict[str, Any]:
    lines = stream.getvalue().splitlines()
    assert len(lines) == 1
    parsed: dict[str, Any] = json.loads(lines[0])
    return parsed


def test_a_line_has_module_action_time_and_build(stream: io.StringIO) -> None:
    logger.info("baked %d loaves", 3, extra={"action": "bake", "loaves": 3, "kinds": ["rye"]})
    line = only(stream)
    assert datetime.fromisoformat(line.pop("ts")).tzinfo is UTC
    assert line == {
        "level": "info",
        "module": "found_footy.kitchen",
        "action": "bake",
        "msg": "baked 3 loaves",
        "process": "oven",
        "version": build_info().version,
        "commit": build_info().commit,
        "loaves": 3,
        "kinds": ["rye"],
    }


def test_a_failure_is_logged_with_its_cause(stream: io.StringIO) -> None:
    error = RuntimeError("cold oven")
    error.__cause__ = OSError("no gas")
    log_failure(error)
    trace = only(stream)["error_trace"]
    assert "OSError: no gas" in trace
    assert trace.rstrip().endswith("RuntimeError: cold oven")


def test_a_long_trace_keeps_its_end(stream: io.StringIO) -> None:
    log_failure(RuntimeError("x" * 50_000 + " the end"))
    trace = only(stream)["error_trace"]
    assert len(trace) <= 8_000
    assert trace.rstrip().endswith("the end")


def test_fields_and_messages_are_bounded(stream: io.StringIO) -> None:
    logger.info("m" * 10_000, extra={"text": "t" * 10_000, "many": list(range(10_000))})
    line = only(stream)
    assert {len(line["msg"]), len(line["text"]), len(line["many"])} == {2_000}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text() | st.text(st.characters(categories=["Cs", "Cc", "Zl", "Zp"])))
def test_nothing_in_a_message_or_a_field_makes_a_second_line(text: str) -> None:
    stream = io.StringIO()
    logs.configure_logging("INFO", "json", "oven", stream)
    logger.info("%s", text, extra={"field": text})
    written = stream.getvalue()
    assert len(written.splitlines()) == 1
    written.encode("utf-8")
    json.loads(written, parse_constant=pytest.fail)


@pytest.mark.parametrize(
    "value", [float("nan"), object(), {1: {2}}, datetime(2026, 1, 1, tzinfo=UTC), b"x", ValueError("v")]
)
def test_a_field_of_any_kind_is_written(stream: io.StringIO, value: object) -> None:
    logger.info("x", extra={"field": value})
    assert "field" in only(stream)


@pytest.mark.parametrize("kind", ["json", "pretty"])
def test_secrets_do_not_get_into_the_log(kind: Literal["json", "pretty"]) -> None:
    stream = io.StringIO()
    logs.configure_logging("INFO", kind, "oven", stream)
    logger.info(
        "connecting to mongodb://u:hunter2@db",
        extra={
            "api_key": "hunter2",
            "Authorization": "hunter2",
            "where": "nats://hunter2@q",
            "cookies": {"a": "hunter2"},
        },
    )
    assert "hunter2" not in stream.getvalue()
    assert "connecting to mongodb://***@db" in stream.getvalue()
    assert "nats://***@q" in stream.getvalue()


@pytest.mark.parametrize("kind", ["json", "pretty"])
def test_secrets_do_not_get_into_a_trace(kind: Literal["json", "pretty"]) -> None:
    stream = io.StringIO()
    logs.configure_logging("INFO", kind, "oven", stream)
    error = RuntimeError("mongodb://u:hunter2@db does not answer")
    error.__cause__ = OSError("nats://hunter2@q")
    log_failure(error)
    assert "db does not answer" in stream.getvalue()
    assert "hunter2" not in stream.getvalue()


def test_a_field_cannot_replace_a_standard_field_of_the_line(stream: io.StringIO) -> None:
    logger.info("true", extra={"level": "forged", "ts": "forged"})
    line = only(stream)
    assert (line["level"], line["level_"], line["ts_"]) == ("info", "forged", "forged")


def test_configuring_again_replaces_and_the_level_holds() -> None:
    first, second = io.StringIO(), io.StringIO()
    logs.configure_logging("DEBUG", "json", "a", first)
    logs.configure_logging("warning", "json", "b", second)
    logger.info("quiet")
    logger.warning("loud")
    assert first.getvalue() == ""
    assert only(second)["process"] == "b"


def test_verbose_libraries_are_logged_only_from_warnings_on(stream: io.StringIO) -> None:
    logging.getLogger("botocore.auth").debug("signature of a secret")
    logging.getLogger("pymongo.command").info("every command")
    logging.getLogger("pymongo.command").warning("trouble")
    assert only(stream)["msg"] == "trouble"


def test_pretty_lines_are_for_people_and_without_colours_off_a_terminal() -> None:
    stream = io.StringIO()
    logs.configure_logging("INFO", "pretty", "oven", stream)
    logger.warning("hot", extra={"action": "heat", "degrees": 220})
    text = stream.getvalue()
    assert text.rstrip().endswith("WARNING kitchen heat: hot degrees=220")
    assert "\x1b" not in text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_pretty_lines_have_colours_on_a_terminal_unless_disabled(monkeypatch: pytest.MonkeyPatch) -> None:
    coloured, plain = Terminal(), Terminal()
    monkeypatch.delenv("NO_COLOR", raising=False)
    logs.configure_logging("INFO", "pretty", "oven", coloured)
    logger.error("hot")
    monkeypatch.setenv("NO_COLOR", "1")
    logs.configure_logging("INFO", "pretty", "oven", plain)
    logger.error("hot")
    assert "\x1b[31m" in coloured.getvalue()
    assert "\x1b" not in plain.getvalue()


def test_pretty_lines_contain_no_terminal_control_sequences() -> None:
    stream = io.StringIO()
    logs.configure_logging("INFO", "pretty", "oven", stream)
    logger.info("evil\x1b[2J\nforged line\u2028x", extra={"field": "\x1b]0;title\x07"})
    assert len(stream.getvalue().splitlines()) == 1
    assert "\x1b" not in stream.getvalue()


def test_pretty_traces_follow_on_lines_of_their_own() -> None:
    stream = io.StringIO()
    logs.configure_logging("INFO", "pretty", "oven", stream)
    log_failure(RuntimeError("cold"))
    assert stream.getvalue().splitlines()[-1] == "RuntimeError: cold"


kitchen = logs.ActionLogger("found_footy.kitchen")


def test_a_line_of_an_action_logger_has_its_module_action_and_fields(stream: io.StringIO) -> None:
    kitchen.info("baked %d loaves", 3, action="bake", loaves=3, event_id="7_1_2_Goal_1")
    line = only(stream)
    reported = {name: line[name] for name in ("level", "module", "action", "msg", "loaves", "event_id")}
    assert reported == {
        "level": "info",
        "module": "found_footy.kitchen",
        "action": "bake",
        "msg": "baked 3 loaves",
        "loaves": 3,
        "event_id": "7_1_2_Goal_1",
    }


def test_a_field_with_a_name_of_the_library_does_not_break_the_line(stream: io.StringIO) -> None:
    kitchen.warning("odd", action="bake", name="rye", args=1, process="dough")
    line = only(stream)
    assert (line["name_"], line["args_"], line["process_"], line["process"]) == ("rye", 1, "dough", "oven")


def test_bound_fields_are_on_every_line_and_overridden_by_its_own(stream: io.StringIO) -> None:
    def baking() -> None:
        logs.bind_scope(logs.LogScope({"event_id": "1", "attempt": 2}))
        logger.info("by the standard logger", extra={"action": "bake"})
        kitchen.info("by ours", action="bake", event_id="3")

    copy_context().run(baking)
    kitchen.info("after it", action="bake")
    first, second, third = map(json.loads, stream.getvalue().splitlines())
    assert (first["event_id"], first["attempt"]) == ("1", 2)
    assert (second["event_id"], second["attempt"]) == ("3", 2)
    assert "event_id" not in third


def test_lines_are_dropped_while_muted_whoever_writes_them(stream: io.StringIO) -> None:
    def baking() -> None:
        replaying = [True]
        logs.bind_scope(logs.LogScope({}, lambda: replaying[0]))
        logger.info("again", extra={"action": "bake"})
        kitchen.info("again", action="bake")
        replaying[0] = False
        kitchen.info("for the first time", action="bake")

    copy_context().run(baking)
    assert only(stream)["msg"] == "for the first time"


def test_a_library_that_names_no_action_gets_one(stream: io.StringIO) -> None:
    logging.getLogger("somebody.else").warning("oops")
    assert (only(stream)["module"], only(stream)["action"]) == ("somebody.else", "library")


def test_lines_for_people_have_the_action_and_leave_out_what_only_machines_want() -> None:
    stream = io.StringIO()
    logs.configure_logging("INFO", "pretty", "oven", stream)

    def baking() -> None:
        logs.bind_scope(logs.LogScope({"workflow_id": "bread-1", "attempt": 1, "event_id": "7"}))
        kitchen.info("baked", action="bake")
        kitchen.warning("burnt", action="burn")

    copy_context().run(baking)
    baked, burnt = stream.getvalue().splitlines()
    assert baked.endswith("kitchen bake: baked event_id=7")
    assert burnt.endswith("kitchen burn: burnt workflow_id=bread-1 attempt=1 event_id=7")
