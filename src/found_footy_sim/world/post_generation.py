"""Generates the posts about a goal. Delays are seconds of match time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from found_footy_sim.script.model import PostPlatform, SimulatedPost, VideoHostAnswer
from found_footy_sim.world.footage import COPY_KINDS, FootageCatalog, FootageFile, FootageKind
from found_footy_sim.world.goals import SimulatedGoal
from found_footy_sim.world.post_texts import NameStyle, PostTone, write_post_text
from found_footy_sim.world.shares import WorldShares

# A search continues for about ten minutes after a goal; later posts may be missed.
SEARCH_WINDOW_SECONDS = 540.0
_LATE_POST_SECONDS = (800.0, 1100.0)
_NOISE_KINDS = (
    FootageKind.STUDIO,
    FootageKind.STUDIO,
    FootageKind.ADVERT,
    FootageKind.ADVERT,
    FootageKind.CARD,
    FootageKind.OTHER_SPORT,
    FootageKind.OTHER_SPORT,
    FootageKind.FANCAM,
    FootageKind.PORTRAIT,
    FootageKind.SNIPPET,
)
_UNUSUAL_NAMES = (NameStyle.GLUED, NameStyle.MISSPELT, NameStyle.SHORT)
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
    """A post with its ground truth: the goal it was written about, the file it shows, how it names the scorer."""

    post: SimulatedPost
    about: SimulatedGoal
    footage: FootageFile
    tone: PostTone = PostTone.PLAIN
    names: NameStyle = NameStyle.USUAL


@dataclass(frozen=True)
class PostGenerator:
    """Generates the posts of all people. A `delay_factor` below 1 shortens all delays, and nobody is late then;
    `share_without_clip` is the share of goals that nobody filmed.
    """

    catalog: FootageCatalog
    goals: Sequence[SimulatedGoal]
    delay_factor: float
    share_without_clip: float
    shares: WorldShares

    def generate_posts(self, goal: SimulatedGoal, random: Random) -> list[GeneratedPost]:
        """Return all posts about one goal, in the order in which their files are made."""
        posts: list[GeneratedPost] = []
        if random.random() >= self.share_without_clip:
            posts += self._generate_broadcasts(goal, random)
        shown = [one.footage for one in posts if one.footage.kind is FootageKind.RIGHT]
        posts += self._generate_noise(goal, shown, random)
        posts += self._generate_other_goals(goal, random)
        return [_assign_author(one, random) for one in posts]

    def _generate_broadcasts(self, goal: SimulatedGoal, random: Random) -> Iterator[GeneratedPost]:
        """One or two channels, an occasional replay, and copies derived from them."""
        for number in range(random.choices((1, 2, 3), (70, 26, 4))[0]):
            original = self.catalog.add_broadcast(goal, number)
            first = self._random_delay(random, 18, 150 + 60 * number)
            yield self._build_post(goal, original, first, random)
            yield from self._generate_copies(goal, original, first, random)
        if random.random() < 0.15:
            yield self._build_post(goal, self.catalog.add_replay(goal), self._random_delay(random, 90, 400), random)

    def _generate_copies(
        self, goal: SimulatedGoal, original: FootageFile, first: float, random: Random
    ) -> Iterator[GeneratedPost]:
        if random.random() < 0.35:
            yield self._build_post(goal, original, first + self._random_delay(random, 10, 200), random)
        kinds = random.sample(COPY_KINDS, random.choices((0, 1, 2), (38, 46, 16))[0])
        kinds += [FootageKind.CAPTION] if random.random() < self.shares.caption else []
        for number, kind in enumerate(kinds):
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
        self, goal: SimulatedGoal, shown: Sequence[FootageFile], random: Random
    ) -> Iterator[GeneratedPost]:
        for _ in range(random.choices((0, 1, 2, 3), (14, 36, 36, 14))[0]):
            if file := self._useless_footage(goal, shown, random.choice(_NOISE_KINDS)):
                yield self._build_post(goal, file, self._random_delay(random, 15, 420), random)
        if shown and random.random() < self.shares.filmed:
            file = self.catalog.add_copy(shown[0], FootageKind.FILMED, 1)
            yield self._build_post(goal, file, self._random_delay(random, 15, 420), random)
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
            case FootageKind.PORTRAIT | FootageKind.SNIPPET:
                return self.catalog.add_copy(shown[0], kind, 1) if shown else None
        return self.catalog.add_shared(kind)

    def _generate_other_goals(self, goal: SimulatedGoal, random: Random) -> Iterator[GeneratedPost]:
        """Posts about this goal whose clips show another one, some in the words of a post of this goal."""
        for file in (*self._elsewhere_footage(goal, random), *self._same_match_footage(goal, random)):
            tone = PostTone.GOAL if random.random() < self.shares.posed_as_goal else PostTone.OTHER_GOAL
            yield self._build_post(goal, file, self._random_delay(random, 20, 300), random, tone)

    def _elsewhere_footage(self, goal: SimulatedGoal, random: Random) -> Iterator[FootageFile]:
        """Goals of another week, another match, another side of the club."""
        for share, add_footage in (
            (self.shares.old_goal, self.catalog.add_old_goal),
            (self.shares.other_match, self.catalog.add_other_match),
            (self.shares.other_side, self.catalog.add_other_side),
        ):
            if random.random() < share:
                same_minute = random.random() < self.shares.same_minute
                yield add_footage(goal, same_minute=same_minute, has_clock=self._draw_has_clock(random))

    def _same_match_footage(self, goal: SimulatedGoal, random: Random) -> Iterator[FootageFile]:
        """Earlier goals of the match, alone or compiled, however short the time between them is."""
        before = [one for one in self.goals if one.match is goal.match and one.minute < goal.minute]
        recorded = [self.catalog.footage[name] for one in before if (name := f"{one.id}-tv0") in self.catalog.footage]
        if recorded and random.random() < self.shares.other_goal:
            earlier = random.choice(recorded)
            if self._draw_has_clock(random):
                yield earlier
            else:
                yield self.catalog.add_replay(next(one for one in before if one.id == earlier.goal))
        own = self.catalog.footage.get(f"{goal.id}-tv0")
        both = [*recorded, *([own] if own and random.random() < 0.5 else [])]
        if len(both) > 1 and random.random() < self.shares.compilation:
            yield self.catalog.add_compilation(goal, both[-2:])

    def _draw_has_clock(self, random: Random) -> bool:
        return random.random() >= self.shares.without_clock

    def _random_delay(self, random: Random, soonest: float, latest: float) -> float:
        """Short delays are the most frequent."""
        return round((soonest + (latest - soonest) * float(random.random() ** 1.8)) * self.delay_factor, 1)

    def _build_post(
        self, goal: SimulatedGoal, file: FootageFile, seconds: float, random: Random, tone: PostTone = PostTone.PLAIN
    ) -> GeneratedPost:
        names = self._draw_name_style(random)
        words = write_post_text(goal, file.kind, tone, names, random)
        post = SimulatedPost("", words, file.clip, goal.match.id, after=goal.id, seconds=seconds)
        return GeneratedPost(post, goal, file, tone, names)

    def _draw_name_style(self, random: Random) -> NameStyle:
        drawn = random.random()
        if drawn < self.shares.unfindable:
            return NameStyle.NONE
        return random.choice(_UNUSUAL_NAMES) if drawn < self._unusual_share else NameStyle.USUAL

    @property
    def _unusual_share(self) -> float:
        return self.shares.unfindable + self.shares.unusual_names


def _assign_author(generated: GeneratedPost, random: Random) -> GeneratedPost:
    """Return the post with an author, a site, and the video host's behaviour."""
    author = f"sim_{random.choice(_AUTHOR_NAMES)}{random.randrange(10**6)}"
    source = PostPlatform.BLUESKY if random.random() < 0.15 else PostPlatform.X
    broken = random.random() < 0.08
    host = random.choice(_BROKEN_HOST_ANSWERS) if broken else None
    deleted = host in (VideoHostAnswer.DELETED, VideoHostAnswer.GONE)
    later = None if broken or random.random() >= 0.02 else 1500.0
    post = replace(
        generated.post,
        author=author,
        source=source,
        host=host,
        gone_after=0.0 if deleted else later,
        reply=random.random() < 0.12,
    )
    return replace(generated, post=post)
