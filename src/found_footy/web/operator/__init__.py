"""The operator's pages: what failed, how messages are sent, why two clips are one."""

from fastapi import APIRouter

from found_footy.web.operator import errors, lab, notifications

router = APIRouter(include_in_schema=False)
for _part in (errors, notifications, lab):
    router.include_router(_part.router)
