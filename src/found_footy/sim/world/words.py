"""What people write under their videos. Everything here names a player and a team, so that a search finds it."""

from enum import StrEnum
from random import Random

from found_footy.sim.world.footage import Kind
from found_footy.sim.world.plan import Goal

_GOAL = (
    "GOAL! {team} {score} {rival} ({player} {minute}')",
    "{loud}!!! What a finish 🔥 {team} {score} {rival}",
    "{player} scores for {team} #{tag}",
    "{player}!!! {minute}' {team} {verb}",
    "⚽ {player} {minute}' | {team} vs {rival} {score}",
    "What a moment. {player} for {team}, minute {minute}",
    "{team}: {player} makes it {score} against {rival}",
    "{loud} 🚀🚀 #{tag} {team}",
)
_OWN_GOAL = (
    "OWN GOAL! {player} turns it in, {team} {score} {rival}",
    "Oh no {player}… into his own net. {team} {verb}",
    "{team} take it: own goal by {player} {minute}'",
)
_PENALTY = (
    "PENALTY: {player} sends him the wrong way. {team} {score} {rival}",
    "{player} from the spot {minute}' {team} {verb}",
)
_ANGLE = (
    "{player} again, slowly. {team} #{tag}",
    "Another look at the {player} goal, {team} fans",
    "{player} {team} 🎥",
)
_FAN = (
    "In the away end when {player} scored!! {team}",
    "My view of {player} and {team} 😭",
    "{player} live from block 12 {team}",
)
_FILMED = ("off my tv sorry {player} {team}", "{player} goal {team} (bad quality, filming the telly)")
_OTHER = (
    "{player} and {team} today 🔥",
    "earlier: {team} v {rival}, before {player} got going",
    "{team} highlights so far, {player} next?",
)
_OLD = (
    "{player} loves this. Remember last week? {team}",
    "{player} for {team}, never gets old",
    "Vintage {player} {team} 🐐",
)
_TALK = (
    "Is {player} the best {team} signing in years? We talk",
    "{team} fan channel LIVE: {player} reaction",
    "Our experts on {player} and {team}",
)
_ADVERT = (
    "Watch {team} every week, only with us. {player} stars",
    "Get the {player} boots {team} fans love 👟",
    "{team} {player} shirt 50% off",
)
_SPORT = (
    "When it goes as well as for {player} and {team} 😂",
    "Sport today: {team}, {player} and more",
    "and this after {player} scored for {team}…",
)
_SPAM = (
    "FREE LIVE STREAM {team} {player} 👉 link in bio",
    "{team} {player} crypto airdrop 💰 follow + repost",
    "hot tips: {team} win, {player} scores, join us",
)
_VERBS = ("lead", "are level", "turn it around", "make sure", "are flying")


class Tone(StrEnum):
    """What a post pretends to be, where that is not what its video is."""

    PLAIN = "plain"
    OTHER_GOAL = "other_goal"
    SPAM = "spam"


_BY_KIND = {
    Kind.REPLAY: _ANGLE, Kind.FANCAM: _FAN, Kind.FILMED: _FILMED, Kind.OLD_GOAL: _OLD, Kind.STUDIO: _TALK,
    Kind.CARD: _TALK, Kind.ADVERT: _ADVERT, Kind.OTHER_SPORT: _SPORT,
}  # fmt: skip


def text(goal: Goal, kind: Kind, tone: Tone, random: Random) -> str:
    """A post about this goal with a video of this kind."""
    team = goal.club.team.name if random.random() < 0.75 else random.choice(goal.club.aliases)
    home, away = goal.score_after
    written = f"{home}-{away}" if goal.side == "home" else f"{away}-{home}"
    player = goal.player.called
    return random.choice(_choices(goal, kind, tone)).format(
        team=team, rival=goal.rival.team.name, player=player, loud=player.upper(), minute=goal.written_minute,
        score=written, verb=random.choice(_VERBS), tag=team.replace(" ", ""),
    )  # fmt: skip


def _choices(goal: Goal, kind: Kind, tone: Tone) -> tuple[str, ...]:
    if tone is Tone.SPAM:
        return _SPAM
    if tone is Tone.OTHER_GOAL:
        return _OTHER
    usual = {"own-goal": _OWN_GOAL, "penalty": (*_PENALTY, *_GOAL)}.get(goal.kind, _GOAL)
    return _BY_KIND.get(kind, usual)
