"""Which channels are told, by a table; what messages say; what settings are refused."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from found_footy.notify.facts import NotifiedGoal, build_facts, build_text, moment_of_id
from found_footy.notify.moments import Moment
from found_footy.notify.rules import NotifyRule, Wording, select_channels, select_wording
from found_footy.notify.templates import apply_template, find_template_fault
from found_footy.platform.errors import ConfigError
from found_footy.settings import load_settings
from tests.support.notify.goals import EVENT_ID, clip, fixture, goal

FACTS = build_facts(fixture(goal()), EVENT_ID)


@pytest.mark.parametrize(
    ("rule", "fits"),
    [
        ({}, True),
        ({"leagues": [39]}, True),
        ({"leagues": [40]}, False),
        ({"leagues": ["premier league"]}, True),
        ({"teams": ["tottenham"]}, True),
        ({"teams": [47]}, True),
        ({"teams": ["Chelsea"]}, False),
        ({"teams": ["Chelsea", "Arsenal"]}, True),
        ({"players": ["Saka"]}, True),
        ({"players": ["b. saka"]}, True),
        ({"players": ["aka"]}, False),
        ({"players": [7]}, True),
        ({"moments": ["confirmed"]}, True),
        ({"moments": ["first_clip", "disallowed"]}, False),
        ({"leagues": [39], "teams": [42], "players": [7], "moments": ["confirmed"]}, True),
        ({"leagues": [39], "teams": [42], "players": [8], "moments": ["confirmed"]}, False),
    ],
)
def test_a_rule_fits_if_each_of_its_lists_does(rule: dict[str, object], fits: bool) -> None:
    parsed = NotifyRule.model_validate({"channels": ["a"], **rule})
    assert parsed.fits(Moment.CONFIRMED, FACTS) is fits


def test_accents_do_not_count() -> None:
    facts = replace(FACTS, player="M. Özil")
    assert NotifyRule(channels=("a",), players=("ozil",)).fits(Moment.CONFIRMED, facts)


def test_a_channel_of_several_rules_is_told_once() -> None:
    rules = [NotifyRule(channels=("a", "b")), NotifyRule(channels=("b", "c")), NotifyRule(channels=("d",), teams=(1,))]
    assert select_channels(rules, Moment.CONFIRMED, FACTS) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("facts", "moments", "expected"),
    [
        (
            FACTS,
            [Moment.CONFIRMED],
            (
                "Goal: Arsenal 1–0 Tottenham\n45+3' B. Saka, assisted by M. Ødegaard (Arsenal)\nPremier League\n"
                f"Looking for clips.\nhttps://footy.example/goals/{EVENT_ID}"
            ),
        ),
        (
            build_facts(fixture(goal(_s3_videos=[clip("c1", verified=True)], detail="Penalty", assist=None)), EVENT_ID),
            [Moment.CONFIRMED, Moment.FIRST_CLIP],
            (
                "Goal: Arsenal 1–0 Tottenham\n45+3' B. Saka, penalty (Arsenal)\nPremier League\n"
                f"1 clip, best 720p, verified.\nhttps://footy.example/goals/{EVENT_ID}"
            ),
        ),
        (
            replace(FACTS, disallowed=True, clip_id="c1", clips=1),
            [Moment.DISALLOWED],
            (
                "Disallowed: Arsenal 1–0 Tottenham\n45+3' B. Saka, assisted by M. Ødegaard (Arsenal)\nPremier League\n"
                f"The goal was taken back.\nhttps://footy.example/goals/{EVENT_ID}"
            ),
        ),
        (
            replace(FACTS, player="G. Jesus", assist="", home_goals=None),
            [Moment.REATTRIBUTED],
            (
                "Goal: Arsenal v Tottenham\n45+3' G. Jesus (Arsenal)\nPremier League\n"
                f"The goal is now given to G. Jesus.\nLooking for clips.\nhttps://footy.example/goals/{EVENT_ID}"
            ),
        ),
    ],
)
def test_a_message_tells_the_whole_state_of_the_goal(facts: NotifiedGoal, moments: list[Moment], expected: str) -> None:
    assert build_text(facts, moments, "https://footy.example").whole == expected


def test_a_rule_writes_its_own_text_and_braces_of_names_are_not_read() -> None:
    facts = replace(FACTS, player="{title} B. Saka")
    usual = build_text(facts, [Moment.CONFIRMED], "https://footy.example")
    written = apply_template("{minute} {player} makes it {score}!\n{league}: {news}", facts, usual)
    assert (written.title, written.body) == (
        "45+3' {title} B. Saka makes it 1–0!",
        "Premier League: Looking for clips.",
    )
    assert written.link == usual.link
    # A template of which nothing is left does not send an empty message.
    assert apply_template("{assist}", replace(facts, assist=""), usual) == usual


@pytest.mark.parametrize(
    "template",
    ["{player.__class__}", "{player[0]}", "{player!r}", "{player:>99999}", "{}", "{0}", "{password}", "{", "}"],
)
def test_a_template_names_facts_and_nothing_else(template: str) -> None:
    assert find_template_fault(template)
    with pytest.raises(ValueError, match="the text"):
        NotifyRule(channels=("a",), text=template)


def test_the_first_rule_with_a_text_or_a_role_writes_the_message() -> None:
    rules = [
        NotifyRule(channels=("a",), teams=(1,), text="not of this match", role="11111"),
        NotifyRule(channels=("a",), moments=(Moment.DISALLOWED,), text="not this moment"),
        NotifyRule(channels=("a", "b"), role="22222"),
        NotifyRule(channels=("a",), text="{player}"),
    ]
    moments = [Moment.CONFIRMED, Moment.FIRST_CLIP]
    assert select_wording(rules, "a", moments, FACTS) == Wording("{player}", "22222")
    assert select_wording(rules, "b", moments, FACTS) == Wording("", "22222")
    assert select_wording(rules, "c", moments, FACTS) == Wording()


def test_the_id_of_a_moment_names_it() -> None:
    assert moment_of_id(f"{EVENT_ID}:better_clip:abc:v720", EVENT_ID) is Moment.BETTER_CLIP


DISCORD = '{"fans":{"kind":"discord","url":"https://discord.com/api/webhooks/1/topsecret"}}'


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"CHANNELS": "{"}, "is not JSON (line 1, column 2)"),
        ({"CHANNELS": '{"x":{"kind":"pigeon"}}'}, "x: Input tag 'pigeon' found using 'kind' does not match"),
        ({"CHANNELS": '{"x":{"kind":"discord","url":"https://topsecret"}}'}, "must be the webhook's address"),
        ({"CHANNELS": '{"x":{"kind":"webhook","url":"https://h/","secret":"topsecret"}}'}, "must be whsec_ followed"),
        ({"CHANNELS": '{"x":{"kind":"telegram","token":"topsecret-topsecret","chat":"a b"}}'}, "x.telegram.chat"),
        ({"CHANNELS": '{"x":{"kind":"apprise","url":"topsecret"}}'}, "must be an address of Apprise"),
        ({"CHANNELS": DISCORD, "RULES": '[{"channels":["fan"]}]'}, "names the channel fan, which is not configured"),
        ({"CHANNELS": DISCORD, "RULES": '[{"channels":["fans"],"moments":["scored"]}]'}, "must be 'confirmed'"),
        ({"CHANNELS": DISCORD, "RULES": '[{"channels":["fans"],"team":["x"]}]'}, "Extra inputs are not permitted"),
        ({"LEASE": "5s"}, "lease must be longer than timeout"),
    ],
)
def test_wrong_settings_are_explained_without_their_secrets(environ: dict[str, str], expected: str) -> None:
    variables = {f"FOOTY_NOTIFY__{name}": text for name, text in environ.items()}
    with pytest.raises(ConfigError) as raised:
        load_settings({"FOOTY_DATA_DIR": "/nonexistent", **variables})
    assert expected in str(raised.value)
    assert "topsecret" not in str(raised.value)


def test_the_example_of_the_documentation_is_valid() -> None:
    page = (Path(__file__).parents[3] / "docs" / "notifications.md").read_text(encoding="utf-8")
    given = dict(re.findall(r"export (FOOTY_NOTIFY__(?:CHANNELS|RULES))='(.*?)'", page, re.S))
    notify = load_settings({"FOOTY_DATA_DIR": "/nonexistent", **given}).settings.notify
    assert sorted(notify.parsed_channels) == ["fans", "mine", "phone"]
    assert len(notify.rules) == 3


def test_notifications_are_off_by_default_and_on_with_a_rule() -> None:
    assert not load_settings({"FOOTY_DATA_DIR": "/nonexistent"}).settings.notify.is_enabled
    variables = {"FOOTY_NOTIFY__CHANNELS": DISCORD, "FOOTY_NOTIFY__RULES": '[{"channels":["fans"]}]'}
    assert load_settings({"FOOTY_DATA_DIR": "/nonexistent", **variables}).settings.notify.is_enabled
