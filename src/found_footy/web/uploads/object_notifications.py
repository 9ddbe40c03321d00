"""The route to which object stores send their notifications."""

import asyncio
from http import HTTPStatus

from fastapi import APIRouter, Request
from pydantic import BaseModel

from found_footy.uploads.intake.notification_parser import MAX_NOTIFICATION_BYTES
from found_footy.web.body_checks import find_length_problem
from found_footy.web.problems import ProblemError, build_token_problem
from found_footy.web.settings import OBJECT_NOTIFICATIONS_PATH
from found_footy.web.state import WebState, WebStateDep, peer_address
from found_footy.web.uploads.api import problem_responses

_CLOSED_MESSAGE = "There is nothing at this address."


class NotificationResponse(BaseModel):
    """What became of the notification's records. Parked ones could not be read; an operator looks at them."""

    published: int
    ignored: int
    parked: int


def can_have_body(method: str, path: str) -> bool:
    return method == "POST" and path == OBJECT_NOTIFICATIONS_PATH


def find_request_problem(web: WebState, request: Request) -> ProblemError | None:
    """Return why a notification is denied, decided before its body is read: it needs the secret and a bounded body."""
    if web.deps.notifications is None:
        return ProblemError(HTTPStatus.NOT_FOUND, _CLOSED_MESSAGE)
    now = asyncio.get_running_loop().time()
    refusal = web.deps.notifications.guard.check_token(
        request.headers.get("authorization", ""), peer_address(request), now, operation="a notification"
    )
    if refusal is not None:
        return build_token_problem(refusal, _CLOSED_MESSAGE)
    return find_length_problem(request.headers, MAX_NOTIFICATION_BYTES)


router = APIRouter()


@router.post(
    OBJECT_NOTIFICATIONS_PATH,
    response_model=NotificationResponse,
    responses=problem_responses(
        HTTPStatus.UNAUTHORIZED,
        HTTPStatus.NOT_FOUND,
        HTTPStatus.LENGTH_REQUIRED,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.SERVICE_UNAVAILABLE,
    ),
    openapi_extra={"requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}},
)
async def accept_notification(request: Request, web: WebStateDep) -> NotificationResponse:
    """Accept a notification of SeaweedFS, AWS S3, EventBridge, MinIO or R2 about stored objects.

    Answers 200 only after the queue has stored its events. What cannot be read is parked and answered 200 too: a store
    that repeats what is refused would repeat it for ever. 503 asks the store to send it again.
    """
    if web.deps.notifications is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, _CLOSED_MESSAGE)
    found = await web.deps.notifications.intake.accept(await request.body())
    return NotificationResponse(published=len(found.events), ignored=found.ignored, parked=len(found.faults))
