"""Texts of posts. Most name a player and a team as everybody does; some in unusual ways, and some name nobody."""

from enum import StrEnum
from random import Random

from found_footy_sim.search_query import fold_text
from found_footy_sim.world.clubs import ClubPlayer
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
_OTHER_MATCH_TEXTS = (
    "not only {player} and {team}, look at this one",
    "goals everywhere: {player} for {team}, and this",
    "after {player} and {team}: the next screamer",
)
_OTHER_SIDE_TEXTS = (
    "{team} Women score too, like {player} today",
    "{team} U21: the next {player}?",
    "{player} watched this one of the {team} academy",
)
_COMPILATION_TEXTS = (
    "all goals so far: {team} v {rival}, {player}",
    "{team} highlights, with {player}",
    "{player} and the rest, {team} compilation",
)
_NAMELESS_TEXTS = (
    "WHAT. A. GOAL. 🔥🔥🔥",
    "you have to see this 😳",
    "limbs 😭😭😭",
    "he did it again!!",
    "scenes at the away end right now",
    "no words for this finish",
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
    GOAL = "goal"
    """Posted in the words of a post of this goal."""
    OTHER_GOAL = "other_goal"
    SPAM = "spam"


class NameStyle(StrEnum):
    """How a post names the scorer."""

    USUAL = "usual"
    """Salah"""
    GLUED = "glued"
    """#SalahGoal, and the team likewise: no word of its own is a name."""
    MISSPELT = "misspelt"
    """Salh: one letter too few or too many."""
    SHORT = "short"
    """MS11: initials and a number, as fans write them."""
    NONE = "none"
    """Neither the scorer nor the team: no search can find it."""


_TEXTS_BY_KIND = {
    FootageKind.REPLAY: _REPLAY_TEXTS,
    FootageKind.FANCAM: _FAN_TEXTS,
    FootageKind.FILMED: _FILMED_TEXTS,
    FootageKind.OLD_GOAL: _OLD_GOAL_TEXTS,
    FootageKind.OTHER_MATCH: _OTHER_MATCH_TEXTS,
    FootageKind.OTHER_SIDE: _OTHER_SIDE_TEXTS,
    FootageKind.COMPILATION: _COMPILATION_TEXTS,
    FootageKind.STUDIO: _TALK_TEXTS,
    FootageKind.CARD: _TALK_TEXTS,
    FootageKind.ADVERT: _ADVERT_TEXTS,
    FootageKind.OTHER_SPORT: _SPORT_TEXTS,
}


def write_post_text(goal: SimulatedGoal, kind: FootageKind, tone: PostTone, names: NameStyle, random: Random) -> str:
    """Write a post about this goal with a video of this kind."""
    if names is NameStyle.NONE:
        return random.choice(_NAMELESS_TEXTS)
    team = goal.club.team.name if random.random() < 0.75 else random.choice(goal.club.aliases)
    tag = team.replace(" ", "")
    home, away = goal.score_after
    written = f"{home}-{away}" if goal.side == "home" else f"{away}-{home}"
    player = write_name(goal.player, names, random)
    return random.choice(_choose_texts(goal, kind, tone)).format(
        team=f"#{tag}Live" if names is NameStyle.GLUED else team,
        rival=goal.rival.team.name,
        player=player,
        loud=player.upper(),
        minute=goal.minute_text,
        score=written,
        verb=random.choice(_TEAM_VERBS),
        tag=f"{tag}Live" if names is NameStyle.GLUED else tag,
    )


def write_name(player: ClubPlayer, names: NameStyle, random: Random) -> str:
    """Write the scorer's name in this style."""
    match names:
        case NameStyle.GLUED:
            return f"#{player.common_name.replace(' ', '').replace('-', '')}Goal"
        case NameStyle.MISSPELT:
            return " ".join(_misspell_word(word, random) for word in player.common_name.replace("-", " ").split())
        case NameStyle.SHORT:
            initials = "".join(word[0] for word in fold_text(player.name).replace("-", " ").split())
            return f"{initials.upper()}{player.id % 30 + 1}"
    return player.common_name


def _misspell_word(word: str, random: Random) -> str:
    """Leave out a letter of a long word, double one of a short one."""
    place = random.randrange(1, max(2, len(word) - 1))
    letters = word[place : place + 1]
    return word[:place] + word[place + 1 :] if len(word) > 4 else word[:place] + letters + word[place:]


def _choose_texts(goal: SimulatedGoal, kind: FootageKind, tone: PostTone) -> tuple[str, ...]:
    usual = {"own-goal": _OWN_GOAL_TEXTS, "penalty": (*_PENALTY_TEXTS, *_GOAL_TEXTS)}.get(goal.kind, _GOAL_TEXTS)
    match tone:
        case PostTone.SPAM:
            return _SPAM_TEXTS
        case PostTone.GOAL:
            return usual
        case PostTone.OTHER_GOAL:
            return _TEXTS_BY_KIND.get(kind, _OTHER_GOAL_TEXTS) if kind is not FootageKind.REPLAY else _OTHER_GOAL_TEXTS
    return _TEXTS_BY_KIND.get(kind, usual)
