"""Undoing a moderation action: another action, with an audit entry of its own, that restores the decision before."""

from found_footy.archive.moderation.audit_log import AuditAction, AuditEntry, AuditState
from found_footy.archive.moderation.service import ModerationRequest, ModerationResult, ModerationService
from found_footy.platform.errors import BadInput

UNDOABLE_ACTIONS = frozenset(
    {
        AuditAction.PIN,
        AuditAction.UNPIN,
        AuditAction.KEEP_APART,
        AuditAction.WRONG_GOAL,
        AuditAction.TAKE_DOWN,
    }
)


def can_undo(entry: AuditEntry) -> bool:
    """Whether an action that was carried out can be undone."""
    return entry.state is AuditState.DONE and entry.action in UNDOABLE_ACTIONS and bool(entry.targets)


async def undo_action(service: ModerationService, entry: AuditEntry, request: ModerationRequest) -> ModerationResult:
    """Undo what an entry says was done. Raises BadInput for an action that cannot be undone."""
    if not can_undo(entry):
        raise BadInput(f"{entry.action} cannot be undone")
    target = entry.targets[0]
    match entry.action:
        case AuditAction.PIN:
            others = entry.before.get("pinned") or []
            return await (service.pin(others[0], request) if others else service.unpin(target, request))
        case AuditAction.UNPIN:
            return await service.pin(target, request)
        case AuditAction.KEEP_APART:
            return await service.allow_merging(target, entry.targets[1], request)
        case _:
            return await service.unblock(target, request)
