"""Texts of posts. Every one names a player and a team, so that a search finds it."""

from enum import StrEnum
from random import Random

from found_footy_sim.world.footage import FootageKind
from found_footy_sim.world.goals import SimulatedGoal

_GOAL_TEXTS = (
    "GOAL! {team} {score} {rival} ({player} {minute}')",
    "{loud}!!! What a finish 🔥 {team} {score} {rival}",
    "{player} scores for {team} #{tag}",
    "{player}!!! {minute}' {team} {verb}",
    "⚽ {player} {minute}' | {team} vs {rival} {score}",
    "What a moment. {player} for {team}, minute {minute}",
    "{team}: {player} makes it {score} against {rival}",
    "{loud} 🚀🚀 #{tag} {team}",
)
_OWN_GOAL_TEXTS = (
    "OWN GOAL! {player} turns it in, {team} {score} {rival}",
    "Oh no {player}… into his own net. {team} {verb}",
    "{team} take it: own goal by {player} {minute}'",
)
_PENALTY_TEXTS = (
    "PENALTY: {player} sends him the wrong way. {team} {score} {rival}",
    "{player} from the spot {minute}' {team} {verb}",
)
_REPLAY_TEXTS = (
    "{player} again, slowly. {team} #{tag}",
    "Another look at the {player} goal, {team} fans",
    "{player} {team} 🎥",
)
_FAN_TEXTS = (
    "In the away end when {player} scored!! {team}",
    "My view of {player} and {team} 😭",
    "{player} live from block 12 {team}",
)
_FILMED_TEXTS = ("off my tv sorry {player} {team}", "{player} goal {team} (bad quality, filming the telly)")
_OTHER_GOAL_TEXTS = (
    "{player} and {team} today 🔥",
    "earlier: {team} v {rival}, before {player} got going",
    "{team} highlights so far, {player} next?",
)
_OLD_GOAL_TEXTS = (
    "{player} loves this. Remember last week? {team}",
    "{player} for {team}, never gets old",
    "Vintage {player} {team} 🐐",
)
_TALK_TEXTS = (
    "Is {player} the best {team} signing in years? We talk",
    "{team} fan channel LIVE: {player} reaction",
    "Our experts on {player} and {team}",
)
_ADVERT_TEXTS = (
    "Watch {team} every week, only with us. {player} stars",
    "Get the {player} boots {team} fans love 👟",
    "{team} {player} shirt 50% off",
)
_SPORT_TEXTS = (
    "When it goes as well as for {player} and {team} 😂",
    "Sport today: {team}, {player} and more",
    "and this after {player} scored for {team}…",
)
_SPAM_TEXTS = (
    "FREE LIVE STREAM {team} {player} 👉 link in bio",
    "{team} {player} crypto airdrop 💰 follow + repost",
    "hot tips: {team} win, {player} scores, join us",
)
_TEAM_VERBS = ("lead", "are level", "turn it around", "make sure", "are flying")


class PostTone(StrEnum):
    """What a post pretends to be, where that is not what its video is."""

    PLAIN = "plain"
    OTHER_GOAL = "other_goal"
    SPAM = "spam"


_TEXTS_BY_KIND = {
    FootageKind.REPLAY: _REPLAY_TEXTS,
    FootageKind.FANCAM: _FAN_TEXTS,
    FootageKind.FILMED: _FILMED_TEXTS,
    FootageKind.OLD_GOAL: _OLD_GOAL_TEXTS,
    FootageKind.STUDIO: _TALK_TEXTS,
    FootageKind.CARD: _TALK_TEXTS,
    FootageKind.ADVERT: _ADVERT_TEXTS,
    FootageKind.OTHER_SPORT: _SPORT_TEXTS,
}


def write_post_text(goal: SimulatedGoal, kind: FootageKind, tone: PostTone, random: Random) -> str:
    """Write a post about this goal with a video of this kind."""
    team = goal.club.team.name if random.random() < 0.75 else random.choice(goal.club.aliases)
    home, away = goal.score_after
    written = f"{home}-{away}" if goal.side == "home" else f"{away}-{home}"
    player = goal.player.common_name
    return random.choice(_choose_texts(goal, kind, tone)).format(
        team=team,
        rival=goal.rival.team.name,
        player=player,
        loud=player.upper(),
        minute=goal.minute_text,
        score=written,
        verb=random.choice(_TEAM_VERBS),
        tag=team.replace(" ", ""),
    )


def _choose_texts(goal: SimulatedGoal, kind: FootageKind, tone: PostTone) -> tuple[str, ...]:
    if tone is PostTone.SPAM:
        return _SPAM_TEXTS
    if tone is PostTone.OTHER_GOAL:
        return _OTHER_GOAL_TEXTS
    usual = {"own-goal": _OWN_GOAL_TEXTS, "penalty": (*_PENALTY_TEXTS, *_GOAL_TEXTS)}.get(goal.kind, _GOAL_TEXTS)
    return _TEXTS_BY_KIND.get(kind, usual)
