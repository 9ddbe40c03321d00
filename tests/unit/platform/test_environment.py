"""Settings from the environment: precedence, origins, and errors a person can act on. The model here is an example."""

import traceback
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, SecretStr, model_validator

from found_footy.platform.errors import ConfigError
from found_footy.platform.settings.groups import (
    Bytes,
    Duration,
    EnvVariable,
    FallbackValue,
    LogSettings,
    MongoSettings,
    ObjectStoreSettings,
    ResolvedSetting,
    SettingsGroup,
    list_variables,
    load_from_environment,
)


class Kitchen(SettingsGroup):
    interval: Duration = timedelta(seconds=30)
    """How often the oven is looked into."""

    largest: Bytes = 25_000_000
    plates: Annotated[int, Field(ge=1, le=20)] = 4
    guests: tuple[str, ...] = ("anna", "ben")
    tables: frozenset[int] = frozenset({1, 2})
    prices: dict[str, int] = Field(default_factory=dict)
    open: bool = True
    mode: Literal["calm", "busy"] = "calm"

    @model_validator(mode="after")
    def _enough_plates(self) -> "Kitchen":
        if self.mode == "busy" and self.plates < 2:
            raise ValueError("a busy kitchen needs at least two plates")
        return self


class Supplier(SettingsGroup):
    key: Annotated[SecretStr | None, EnvVariable("SUPPLIER_KEY")] = None
    """Key that the supplier gave us."""


class Restaurant(SettingsGroup):
    kitchen: Kitchen = Kitchen()
    supplier: Supplier = Supplier()
    mongo: MongoSettings = MongoSettings()
    objects: ObjectStoreSettings = ObjectStoreSettings()
    log: LogSettings = LogSettings()


class Licensed(SettingsGroup):
    number: Annotated[str, EnvVariable("LICENCE")]
    """Number of the licence."""


class Shop(SettingsGroup):
    licence: Licensed


def origin(of: str, environ: dict[str, str], fallback: dict[str, FallbackValue] | None = None) -> ResolvedSetting:
    return next(
        entry for entry in load_from_environment(Restaurant, environ, fallback).resolved if entry.variable == of
    )


def complaint(environ: dict[str, str]) -> str:
    with pytest.raises(ConfigError) as caught:
        load_from_environment(Restaurant, environ)
    return str(caught.value)


def test_without_any_variable_everything_is_its_default() -> None:
    loaded = load_from_environment(Restaurant, {})
    assert loaded.settings == Restaurant()
    assert {entry.origin for entry in loaded.resolved} == {"default"}


def test_a_value_is_named_by_its_group_and_field() -> None:
    settings = load_from_environment(
        Restaurant, {"FOOTY_KITCHEN__INTERVAL": "1h30m", "FOOTY_KITCHEN__LARGEST": "300MiB"}
    ).settings
    assert (settings.kitchen.interval, settings.kitchen.largest) == (timedelta(minutes=90), 300 * 2**20)


def test_a_well_known_name_needs_no_prefix() -> None:
    assert load_from_environment(Restaurant, {"MONGODB_URI": "mongodb://db:1"}).settings.mongo.uri == "mongodb://db:1"
    assert (
        load_from_environment(Restaurant, {"FOOTY_MONGO__URI": "mongodb://db:2"}).settings.mongo.uri == "mongodb://db:2"
    )


def test_lists_are_written_with_commas_or_as_json() -> None:
    by_comma = load_from_environment(
        Restaurant, {"FOOTY_KITCHEN__GUESTS": "cleo, dan,", "FOOTY_KITCHEN__TABLES": "7,8"}
    ).settings.kitchen
    by_json = load_from_environment(Restaurant, {"FOOTY_KITCHEN__GUESTS": '["cleo", "dan"]'}).settings.kitchen
    assert by_comma.guests == by_json.guests == ("cleo", "dan")
    assert by_comma.tables == {7, 8}


def test_mappings_are_json() -> None:
    assert load_from_environment(Restaurant, {"FOOTY_KITCHEN__PRICES": '{"soup": 5}'}).settings.kitchen.prices == {
        "soup": 5
    }
    assert "FOOTY_KITCHEN__PRICES=soup: must be a valid dictionary" in complaint({"FOOTY_KITCHEN__PRICES": "soup"})


def test_a_blank_variable_counts_as_not_set() -> None:
    assert origin("MONGODB_URI", {"MONGODB_URI": "  "}).origin == "default"


def test_log_levels_are_accepted_in_any_case() -> None:
    log = load_from_environment(Restaurant, {"LOG_LEVEL": "debug", "LOG_FORMAT": "Pretty"}).settings.log
    assert (log.level, log.format) == ("DEBUG", "pretty")


def test_the_environment_comes_before_the_fallback_and_that_before_the_default() -> None:
    fallback = {"MONGODB_URI": FallbackValue("mongodb://embedded:1")}
    assert origin("MONGODB_URI", {}, fallback).value == "mongodb://embedded:1"
    assert origin("MONGODB_URI", {}, fallback).origin == "embedded platform"
    assert origin("MONGODB_URI", {"MONGODB_URI": "mongodb://mine:1"}, fallback).value == "mongodb://mine:1"


def test_every_value_has_an_origin_with_its_description() -> None:
    entry = origin("FOOTY_KITCHEN__INTERVAL", {"FOOTY_KITCHEN__INTERVAL": "90s"})
    assert entry == ResolvedSetting(
        "FOOTY_KITCHEN__INTERVAL", "1m30s", "environment", "How often the oven is looked into."
    )
    assert len(load_from_environment(Restaurant, {}).resolved) == len(list_variables(Restaurant)) == 19


@pytest.mark.parametrize(
    ("variable", "shown"),
    [
        ("FOOTY_KITCHEN__GUESTS", "anna,ben"),
        ("FOOTY_KITCHEN__TABLES", "1,2"),
        ("FOOTY_KITCHEN__OPEN", "true"),
        ("FOOTY_KITCHEN__PRICES", "{}"),
        ("FOOTY_KITCHEN__LARGEST", "25MB"),
        ("SUPPLIER_KEY", ""),
        ("S3_SECRET_KEY", ""),
    ],
)
def test_values_are_shown_as_they_could_be_written(variable: str, shown: str) -> None:
    assert origin(variable, {}).value == shown


def test_a_secret_may_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("from-file\n")
    loaded = load_from_environment(Restaurant, {"SUPPLIER_KEY_FILE": str(file)})
    assert loaded.settings.supplier.key == SecretStr("from-file")
    entry = next(entry for entry in loaded.resolved if entry.variable == "SUPPLIER_KEY_FILE")
    assert (entry.value, entry.origin) == ("********", f"file {file}")


def test_an_address_with_credentials_may_come_from_a_file_too(tmp_path: Path) -> None:
    file = tmp_path / "uri"
    file.write_text("mongodb://u:p@db:1")
    assert load_from_environment(Restaurant, {"MONGODB_URI_FILE": str(file)}).settings.mongo.uri == "mongodb://u:p@db:1"


def test_a_secret_file_that_is_missing_empty_huge_or_not_text_is_named(tmp_path: Path) -> None:
    files = {"empty": b" \n", "huge": b"x" * 70_000, "bytes": b"\xff\xfe\xff"}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    said = {name: complaint({"SUPPLIER_KEY_FILE": str(tmp_path / name)}) for name in ("missing", *files)}
    assert "No such file or directory" in said["missing"]
    assert "the file is empty" in said["empty"]
    assert "too large for a secret" in said["huge"]
    assert "is not text" in said["bytes"]
    assert all(text.startswith(f"SUPPLIER_KEY_FILE={tmp_path / name}: ") for name, text in said.items())


def test_one_setting_under_two_names_must_agree() -> None:
    same = {"MONGODB_URI": "mongodb://a:1", "FOOTY_MONGO__URI": "mongodb://a:1"}
    assert load_from_environment(Restaurant, same).settings.mongo.uri == "mongodb://a:1"
    text = complaint({"MONGODB_URI": "mongodb://a:1", "FOOTY_MONGO__URI": "mongodb://b:1"})
    assert text == "MONGODB_URI and FOOTY_MONGO__URI name the same setting with different values; keep one"


def test_an_unknown_variable_is_an_error_with_the_nearest_known_name() -> None:
    text = complaint({"FOOTY_KICHEN__INTERVAL": "30s"})
    assert text == "FOOTY_KICHEN__INTERVAL is not a known setting; did you mean FOOTY_KITCHEN__INTERVAL?"
    assert complaint({"FOOTY_QQQ": "1"}) == "FOOTY_QQQ is not a known setting"
    assert "FOOTY_KITCHEN__INTERVAL_FILE is not" in complaint({"FOOTY_KITCHEN__INTERVAL_FILE": "x"})


def test_variables_of_others_and_of_the_build_are_left_alone() -> None:
    environ = {"FOOTY_COMMIT": "abc", "FOOTY_HOME": "/x", "PATH": "/bin"}
    assert load_from_environment(Restaurant, environ, known={"FOOTY_HOME"}).settings == Restaurant()


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("MONGODB_URI", "nonsense", "accepted is mongodb://… or mongodb+srv://…, such as mongodb://127.0.0.1:27017"),
        ("FOOTY_KITCHEN__INTERVAL", "30", "a duration needs a unit (30s?)"),
        ("FOOTY_KITCHEN__PLATES", "21", "must be less than or equal to 20"),
        ("FOOTY_KITCHEN__PLATES", "many", "must be a valid integer"),
        ("FOOTY_KITCHEN__OPEN", "perhaps", "must be a valid boolean"),
        ("FOOTY_KITCHEN__MODE", "wild", "must be 'calm' or 'busy'"),
        ("FOOTY_KITCHEN__TABLES", "1,two", "must be a valid integer"),
        ("LOG_LEVEL", "LOUD", "must be 'DEBUG', 'INFO', 'WARNING' or 'ERROR'"),
        ("S3_BUCKET", "A", "should match pattern"),
    ],
)
def test_a_wrong_value_is_one_line_with_variable_value_and_what_is_accepted(
    variable: str, value: str, said: str
) -> None:
    text = complaint({variable: value})
    assert text.startswith(f"{variable}={value}: ")
    assert said in text
    assert "\n" not in text


def test_every_problem_has_a_line_of_its_own() -> None:
    text = complaint({"FOOTY_X": "1", "MONGODB_URI": "nonsense", "FOOTY_KITCHEN__PLATES": "0"})
    assert [line.split("=")[0].split(" ")[0] for line in text.splitlines()] == [
        "FOOTY_X",
        "FOOTY_KITCHEN__PLATES",
        "MONGODB_URI",
    ]


def test_a_rule_over_a_group_names_the_variables_that_were_set_in_it() -> None:
    text = complaint({"FOOTY_KITCHEN__MODE": "busy", "FOOTY_KITCHEN__PLATES": "1"})
    assert text == "FOOTY_KITCHEN__PLATES, FOOTY_KITCHEN__MODE: a busy kitchen needs at least two plates"


def test_a_required_value_that_is_missing_is_named_with_its_purpose() -> None:
    with pytest.raises(ConfigError, match=r"^LICENCE \(Number of the licence.\): is not set, and it has no default$"):
        load_from_environment(Shop, {})
    assert load_from_environment(Shop, {"LICENCE": "7"}).settings.licence.number == "7"


def test_a_value_of_many_lines_stays_on_one_in_the_error() -> None:
    assert "\n" not in complaint({"FOOTY_KITCHEN__MODE": "a\nb\r\nc"})
    assert len(complaint({"FOOTY_KITCHEN__MODE": "x" * 10_000})) < 500


SECRETS = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGH0123456789", min_size=6, max_size=20).map(lambda t: f"Zq{t}qZ")


@given(SECRETS)
def test_secrets_are_in_no_origin_and_in_no_error(secret: str) -> None:
    good = {"S3_SECRET_KEY": secret, "SUPPLIER_KEY": secret, "MONGODB_URI": f"mongodb://me:{secret}@db:1"}
    loaded = load_from_environment(Restaurant, good)
    assert secret not in repr(loaded.resolved)
    assert secret not in repr(loaded.settings)
    for wrong in (f"me:{secret}@db", f"mongodb://me:{secret}@", f"mongodb://me:{secret}@db:x", f"http://{secret}@db"):
        assert secret not in complaint(good | {"MONGODB_URI": wrong})


def test_a_wrong_secret_is_masked_in_its_error() -> None:
    pin = "".join(["q", "w", "e", "r", "t"])  # not to be found in a traceback's source lines

    class Strict(SettingsGroup):
        pin: Annotated[SecretStr, Field(min_length=8), EnvVariable("PIN")] = SecretStr("12345678")

    class Vault(SettingsGroup):
        strict: Strict = Strict()

    with pytest.raises(ConfigError, match=r"^PIN=\*{8}: .*at least 8") as caught:
        load_from_environment(Vault, {"PIN": pin})
    assert pin not in "".join(traceback.format_exception(caught.value))
