"""Generates the posts about a goal. Delays are seconds of match time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from found_footy_sim.script.model import PostPlatform, SimulatedPost, VideoHostAnswer
from found_footy_sim.world.footage import COPY_KINDS, FootageCatalog, FootageFile, FootageKind
from found_footy_sim.world.goals import SimulatedGoal
from found_footy_sim.world.post_texts import PostTone, write_post_text

# A search continues for about ten minutes after a goal; later posts may be missed.
SEARCH_WINDOW_SECONDS = 540.0
# Posts about goals that are closer than this, in minutes, are found by the searches for both.
_SHARED_SEARCH_MINUTES = 42.0
_LATE_POST_SECONDS = (800.0, 1100.0)
_NOISE_KINDS = (
    FootageKind.STUDIO,
    FootageKind.STUDIO,
    FootageKind.ADVERT,
    FootageKind.ADVERT,
    FootageKind.CARD,
    FootageKind.OTHER_SPORT,
    FootageKind.OTHER_SPORT,
    FootageKind.OLD_GOAL,
    FootageKind.FANCAM,
    FootageKind.FILMED,
    FootageKind.FILMED,
    FootageKind.PORTRAIT,
    FootageKind.SNIPPET,
)
_AUTHOR_NAMES = (
    "goals",
    "kop",
    "away_end",
    "clips",
    "terrace",
    "tactics",
    "matchday",
    "footy",
    "ultra",
    "derby",
    "stand",
    "var",
)
_BROKEN_HOST_ANSWERS = (VideoHostAnswer.DELETED, VideoHostAnswer.GONE, VideoHostAnswer.GEO_BLOCKED)


@dataclass(frozen=True)
class GeneratedPost:
    """A post with its ground truth: the goal it was written about, and the file it shows."""

    post: SimulatedPost
    about: SimulatedGoal
    footage: FootageFile
    tone: PostTone = PostTone.PLAIN


@dataclass(frozen=True)
class PostGenerator:
    """Generates the posts of all people. A `delay_factor` below 1 shortens all delays, and nobody is late then;
    `share_without_clip` is the share of goals that nobody filmed.
    """

    catalog: FootageCatalog
    goals: Sequence[SimulatedGoal]
    delay_factor: float
    share_without_clip: float

    def generate_posts(self, goal: SimulatedGoal, random: Random) -> list[GeneratedPost]:
        """Return all posts about one goal, in the order in which their files are made."""
        posts: list[GeneratedPost] = []
        if random.random() >= self.share_without_clip:
            posts += self._generate_broadcasts(goal, random)
        posts += self._generate_noise(goal, posts, random)
        return [_assign_author(one, random, safe=place == 0) for place, one in enumerate(posts)]

    def _generate_broadcasts(self, goal: SimulatedGoal, random: Random) -> Iterator[GeneratedPost]:
        """One or two channels, an occasional replay, and copies derived from them."""
        for number in range(random.choices((1, 2, 3), (70, 26, 4))[0]):
            original = self.catalog.add_broadcast(goal, number)
            first = self._random_delay(random, 18, 150 + 60 * number)
            yield self._build_post(goal, original, first, random)
            yield from self._generate_copies(goal, original, first, random)
        if random.random() < 0.15 and self._is_only_search_target(goal):
            yield self._build_post(goal, self.catalog.add_replay(goal), self._random_delay(random, 90, 400), random)

    def _generate_copies(
        self, goal: SimulatedGoal, original: FootageFile, first: float, random: Random
    ) -> Iterator[GeneratedPost]:
        if random.random() < 0.35:
            yield self._build_post(goal, original, first + self._random_delay(random, 10, 200), random)
        kinds = (
            COPY_KINDS
            if self._is_only_search_target(goal)
            else tuple(kind for kind in COPY_KINDS if kind is not FootageKind.MIRROR)
        )
        for number, kind in enumerate(random.sample(kinds, random.choices((0, 1, 2), (38, 46, 16))[0])):
            made = self.catalog.add_copy(original, kind, number + 1)
            yield self._build_post(goal, made, first + self._random_delay(random, 25, 260), random)
        if random.random() < 0.05 and self.delay_factor >= 1:
            yield self._build_post(
                goal,
                self.catalog.add_copy(original, FootageKind.REENCODE, 9),
                random.uniform(*_LATE_POST_SECONDS),
                random,
            )

    def _generate_noise(
        self, goal: SimulatedGoal, posts: Sequence[GeneratedPost], random: Random
    ) -> Iterator[GeneratedPost]:
        shown = [one.footage for one in posts if one.footage.kind is FootageKind.RIGHT]
        for _ in range(random.choices((1, 2, 3, 4), (28, 36, 26, 10))[0]):
            if file := self._useless_footage(goal, shown, random.choice(_NOISE_KINDS)):
                yield self._build_post(goal, file, self._random_delay(random, 15, 420), random)
        if random.random() < 0.22 and (other := self._other_goal_footage(goal, random)):
            yield self._build_post(goal, other, self._random_delay(random, 20, 300), random, PostTone.OTHER_GOAL)
        if random.random() < 0.3:
            file = self.catalog.add_shared(
                random.choice((FootageKind.ADVERT, FootageKind.CARD, FootageKind.OTHER_SPORT))
            )
            yield self._build_post(goal, file, self._random_delay(random, 5, 400), random, PostTone.SPAM)

    def _useless_footage(
        self, goal: SimulatedGoal, shown: Sequence[FootageFile], kind: FootageKind
    ) -> FootageFile | None:
        match kind:
            case FootageKind.FANCAM:
                return self.catalog.add_fan_video(goal)
            case FootageKind.OLD_GOAL:
                return self.catalog.add_old_goal(goal)
            case FootageKind.FILMED | FootageKind.PORTRAIT | FootageKind.SNIPPET:
                return self.catalog.add_copy(shown[0], kind, 1) if shown else None
        return self.catalog.add_shared(kind)

    def _other_goal_footage(self, goal: SimulatedGoal, random: Random) -> FootageFile | None:
        """A broadcast of an earlier goal, of this match if there is one, whose clock shows that it is another."""
        earlier = [one for one in self.goals if one.minute < goal.minute - 4 and goal.differs_from(one.clock_minute)]
        same = [one for one in earlier if one.match is goal.match]
        pool = [one for one in same or earlier if f"{one.id}-tv0" in self.catalog.footage]
        return self.catalog.footage[f"{random.choice(pool).id}-tv0"] if pool else None

    def _is_only_search_target(self, goal: SimulatedGoal) -> bool:
        """Whether no other goal's search can find posts about this one. Only then may its clock be unreadable: nothing
        else would show which goal it is.
        """
        near = [one for one in self.goals if abs(one.minute - goal.minute) < _SHARED_SEARCH_MINUTES and one is not goal]
        return not any(one.club is goal.club for one in near)

    def _random_delay(self, random: Random, soonest: float, latest: float) -> float:
        """Short delays are the most frequent."""
        return round((soonest + (latest - soonest) * float(random.random() ** 1.8)) * self.delay_factor, 1)

    def _build_post(
        self, goal: SimulatedGoal, file: FootageFile, seconds: float, random: Random, tone: PostTone = PostTone.PLAIN
    ) -> GeneratedPost:
        words = write_post_text(goal, file.kind, tone, random)
        post = SimulatedPost("", words, file.clip, goal.match.id, after=goal.id, seconds=seconds)
        return GeneratedPost(post, goal, file, tone)


def _assign_author(generated: GeneratedPost, random: Random, *, safe: bool) -> GeneratedPost:
    """Return the post with an author, a site, and the video host's behaviour. A `safe` one can be fetched from X."""
    author = f"sim_{random.choice(_AUTHOR_NAMES)}{random.randrange(10**6)}"
    source = PostPlatform.BLUESKY if random.random() < 0.15 and not safe else PostPlatform.X
    broken = random.random() < 0.08 and not safe
    host = random.choice(_BROKEN_HOST_ANSWERS) if broken else None
    deleted = host in (VideoHostAnswer.DELETED, VideoHostAnswer.GONE)
    later = None if broken or random.random() >= 0.02 else 1500.0
    post = SimulatedPost(
        author,
        generated.post.text,
        generated.post.clip,
        generated.post.fixture,
        generated.post.after,
        generated.post.seconds,
        source=source,
        host=host,
        gone_after=0.0 if deleted else later,
        reply=random.random() < 0.12,
    )
    return GeneratedPost(post, generated.about, generated.footage, generated.tone)
