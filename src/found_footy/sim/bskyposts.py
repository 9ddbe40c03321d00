"""The posts of a scenario for the simulated Bluesky."""

from collections.abc import Awaitable, Callable

from starlette.responses import PlainTextResponse, Response

from found_footy.sim.bluesky.posts import Post, a_cid
from found_footy.sim.films import Films
from found_footy.sim.posts import Board, Published, handle
from found_footy.sim.script.model import Scenario, Source


class ScenarioBluesky:
    """A source of posts for `BlueskySite`; `answer` is how the video host answers for one."""

    def __init__(
        self, scenario: Scenario, board: Board, films: Films, answer: Callable[[Published], Awaitable[Response]]
    ) -> None:
        self._scenario = scenario
        self._board = board
        self._films = films
        self._answer = answer
        self._made: dict[str, tuple[Post, Published]] = {}

    def posts(self) -> list[Post]:
        return [self._post(item) for item in self._board.out() if item.post.source is Source.BLUESKY]

    async def video(self, post: Post) -> Response:
        known = self._made.get(post.key)
        return await self._answer(known[1]) if known else PlainTextResponse("Not Found", 404)

    def _post(self, item: Published) -> Post:
        if item.tweet_id not in self._made:
            self._made[item.tweet_id] = self._build(item), item
        return self._made[item.tweet_id][0]

    def _build(self, item: Published) -> Post:
        """The file's name follows from what it shows, since the file itself may not be made yet."""
        clip = self._scenario.clip(item.post.clip)
        width, height, _ = self._films.variants(clip)[0]
        cid = a_cid(self._films.recipe(clip).key.encode())
        text = item.post.text
        return Post(handle(item.author), item.tweet_id, text, item.posted_at, width=width, height=height, cid=cid)
