"""Converts a block to the rejection of a clip."""

from found_footy.archive.messages import RejectedClip
from found_footy.archive.moderation.model import BlockScope, ContentBlock
from found_footy.domain.outcomes import ClipOutcome

_REJECTION_BY_SCOPE = {
    BlockScope.WRONG_GOAL: (ClipOutcome.WRONG_MINUTE, "a moderator decided that it shows another goal"),
    BlockScope.TAKEN_DOWN: (ClipOutcome.BLOCKED, "it was taken down"),
}


def to_rejected_clip(md5: str, block: ContentBlock) -> RejectedClip:
    return RejectedClip(md5, *_REJECTION_BY_SCOPE[block.scope])
