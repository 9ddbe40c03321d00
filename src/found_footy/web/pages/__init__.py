"""The pages for viewers."""

from fastapi import APIRouter

from found_footy.web.pages import goal, match_day, static_files

router = APIRouter(include_in_schema=False)
for _part in (match_day, goal, static_files):
    router.include_router(_part.router)
