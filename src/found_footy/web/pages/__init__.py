"""The pages for viewers."""

from fastapi import APIRouter

from found_footy.web.pages import compare, days, figures, goal, match_day, people, reel, search, static_files

router = APIRouter(include_in_schema=False)
# The days come first: the fragment of a match is named by any word.
for _part in (days, match_day, goal, compare, reel, search, people, figures, static_files):
    router.include_router(_part.router)
