"""What is done with a message, what a failure means, and the encryption of web push against the RFC's example."""

from datetime import timedelta
from typing import Any, cast

import pytest

from found_footy.domain.notify_documents import OutboxDocument
from found_footy.notify.channels.apprise_child import ConnectionGuard
from found_footy.notify.channels.push_encryption import encode_base64url, encrypt_payload, load_private_key
from found_footy.notify.errors import MessageRejected, UnknownOutcome
from found_footy.notify.outbox import ChannelTraits, DeliveryAction, FailureVerdict, judge_failure, plan_delivery
from found_footy.notify.settings import decode_base64url
from found_footy.platform.errors import FoundFootyError, RateLimited, Refused, Unavailable, Unreachable
from tests.support.notify.goals import AT

EDITS, REPEATS, PLAIN = ChannelTraits(True, False), ChannelTraits(False, True), ChannelTraits(False, False)
INTENT = {"id": "kept", "moments": ["g:confirmed"], "at": AT}


def entry(**fields: Any) -> OutboxDocument:
    wanted = ["g:confirmed", "g:first_clip"]
    document = {
        "_id": "c:g",
        "channel": "c",
        "goal": "g",
        "created_at": AT,
        "wanted_at": AT,
        "wanted": wanted,
        **fields,
    }
    return cast(OutboxDocument, document)


@pytest.mark.parametrize(
    ("stored", "traits", "resends", "action", "moments"),
    [
        ({}, EDITS, False, DeliveryAction.SEND, ["g:confirmed", "g:first_clip"]),
        ({"told": ["g:confirmed"]}, PLAIN, False, DeliveryAction.SEND, ["g:first_clip"]),
        ({"told": ["g:confirmed"], "message_id": "5"}, EDITS, False, DeliveryAction.EDIT, ["g:first_clip"]),
        ({"failed": ["g:confirmed"]}, EDITS, False, DeliveryAction.SEND, ["g:first_clip"]),
        ({"doubtful": ["g:confirmed"]}, EDITS, False, DeliveryAction.SEND, ["g:first_clip"]),
        ({"intent": INTENT}, EDITS, False, DeliveryAction.HOLD, ["g:confirmed"]),
        ({"intent": INTENT}, PLAIN, False, DeliveryAction.HOLD, ["g:confirmed"]),
        ({"intent": INTENT}, PLAIN, True, DeliveryAction.SEND, ["g:confirmed"]),
        ({"intent": INTENT}, REPEATS, False, DeliveryAction.SEND, ["g:confirmed"]),
        ({"intent": INTENT, "message_id": "5"}, EDITS, False, DeliveryAction.EDIT, ["g:confirmed"]),
        ({"wanted_at": AT - timedelta(days=1)}, EDITS, False, DeliveryAction.GIVE_UP, ["g:confirmed", "g:first_clip"]),
    ],
)
def test_what_is_done_with_a_message(
    stored: dict[str, Any], traits: ChannelTraits, resends: bool, action: DeliveryAction, moments: list[str]
) -> None:
    plan = plan_delivery(entry(**stored), traits, AT, timedelta(hours=12), resends=resends)
    assert (plan.action, plan.intent["moments"]) == (action, moments)
    assert ("intent" in stored) is (plan.intent["id"] == "kept")


@pytest.mark.parametrize(
    ("error", "tries", "verdict"),
    [
        (Unavailable("d", "502"), 0, FailureVerdict(timedelta(seconds=15))),
        (Unavailable("d", "502"), 2, FailureVerdict(timedelta(seconds=60))),
        (Unavailable("d", "502"), 500, FailureVerdict(timedelta(minutes=15))),
        (Unreachable("d", "refused"), 0, FailureVerdict(timedelta(seconds=15))),
        (UnknownOutcome("d", "lost"), 0, FailureVerdict(timedelta(seconds=15), may_have_arrived=True)),
        (RateLimited("d", "429", 7.5), 3, FailureVerdict(timedelta(seconds=7.5), pauses_channel=True)),
        (MessageRejected("d", "400"), 0, FailureVerdict(None)),
        (Refused("d", "private"), 0, FailureVerdict(None)),
    ],
)
def test_what_follows_from_a_failure(error: FoundFootyError, tries: int, verdict: FailureVerdict) -> None:
    assert judge_failure(error, tries) == verdict


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        (("93.184.216.34", 443), True),
        (("10.0.0.5", 443), False),
        (("127.0.0.1", 8000), True),
        (("127.0.0.1", 8001), False),
        (("::1", 8000, 0, 0), False),
        (("::ffff:169.254.169.254", 80, 0, 0), False),
        ("/run/some.sock", False),
    ],
)
def test_apprise_connects_only_to_public_and_allowed_addresses(address: object, allowed: bool) -> None:
    guard = ConnectionGuard(["127.0.0.1:8000"])
    guard("open", ("/etc/hosts", "r", 0))
    if allowed:
        guard("socket.connect", (None, address))
    else:
        with pytest.raises(PermissionError, match="not a public address"):
            guard("socket.connect", (None, address))
    assert bool(guard.refused) is not allowed


def test_a_push_message_is_encrypted_as_the_example_of_rfc_8291() -> None:
    encrypted = encrypt_payload(
        b"When I grow up, I want to be a watermelon",
        decode_base64url("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
        decode_base64url("BTBZMqHH6r4Tts7J_aSIgg"),
        sender=load_private_key(decode_base64url("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")),
        salt=decode_base64url("DGv6ra1nlYgDCS1FRnbzlw"),
    )
    assert encode_base64url(encrypted) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl"
        "7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )
