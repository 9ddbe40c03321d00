"""What is said of a clip that people have sent away."""

from found_footy.archive.judgement import Refusal, Scope
from found_footy.archive.messages import Refused
from found_footy.model.outcome import ClipOutcome

_SAID = {
    Scope.WRONG_GOAL: (ClipOutcome.WRONG_MINUTE, "people have said that it shows another goal"),
    Scope.TAKEN_DOWN: (ClipOutcome.BLOCKED, "it was taken down"),
}


def sent_away(md5: str, refusal: Refusal) -> Refused:
    return Refused(md5, *_SAID[refusal.scope])
