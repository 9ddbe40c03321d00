"""Words of r/soccer's post titles: what is not a goal, what describes one, what is no name. Pure."""

import re


def _compile_words(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(alternatives)})(?!\w)", re.IGNORECASE)


# A title with one of these is no goal, whatever its form.
NEVER_A_GOAL = _compile_words(
    r"disallow\w*",
    r"rul(?:ed|es|ing)\s+(?:\w+\s+){0,3}?out",
    r"chalked(?:\s+off)?",
    r"not\s+(?:be\s+)?(?:given|awarded)",
    r"(?:no|not\s+a|non)[\s-]goal",
    r"(?<!check for )(?<!possible )(?<!potential )offsides?(?!\s+(?:check|review))",
    r"overturn\w*",
    r"cancell?ed",
    r"annull?\w*",
    r"revers(?:es|ed)",
    r"shoot[\s-]?outs?",
    r"pens",
    r"penalties",
    r"pso",
    r"(?:pre|post)[\s-]?match",
    r"threads?",
    r"highlights?",
    r"compilation",
    r"(?:all|every|best)\s+goals?",
    r"on\s+this\s+day",
    r"otd",
    r"years?\s+ago",
    r"throwback",
    r"anniversary",
    r"live\s?stream\w*",
    r"full\s+match",
    r"line-?ups?",
    r"(?:goal|strike|header|chance|shot|attempt|penalty)\s+(?:is\s+|was\s+)?(?:saved|missed|denied)",
    r"penalty\s+(?:appeals?|shouts?|claims?)",
)
# A goal that did not count, in titles with or without a score.
NOT_COUNTED = _compile_words(
    r"disallow\w*",
    r"rul(?:ed|es|ing)\s+(?:[\w']+\s+){0,4}?out",
    r"chalked(?:\s+off)?",
    r"goal\s+(?:is\s+|was\s+)?not\s+(?:given|awarded)",
    r"(?:goal\s+)?(?:overturned|cancell?ed|annulled)(?:\s+by\s+var)?",
    r"var\s+revers\w+",
    r"offside\s+goal",
)
MISSED_PENALTY = _compile_words(
    r"pen(?:alty|\.)?(?:\s+kick)?\s+(?:is\s+|was\s+)?(?:miss(?:ed)?|saved?|stop(?:ped)?|hits)",
    r"(?:miss(?:es|ed)?|sav(?:es|ed?)|stop(?:s|ped)?|skies)\s+(?:\w+\s+){0,2}?pen(?:alty)?",
)
SENDING_OFF = _compile_words(
    r"(?:straight\s+|2nd\s+|second\s+)?red\s+cards?", r"straight\s+red", r"(?:2nd|second)\s+yellow", r"sent[\s-]off"
)
# "+Huijsen red card" after the minute: the clip shows the goal and something else.
ADDENDUM = re.compile(r"(?:[+&](?!\s?'?\d)|\band\b|\bplus\b|\bw/|\bwith\b)[^()\[\]|]*", re.IGNORECASE)

ADDED_EVENT = re.compile(r"\+(?!\s?'?\d)[^()\[\]|]*")
# "Saka after a mistake": what follows tells how the goal came about.
CIRCUMSTANCE = re.compile(r"(?:[+&]|\b(?:after|and|with|from|following|off|thanks|on)\b).*", re.IGNORECASE)

# Other things that match clips show. They refuse a title whose score has no brackets, and a scorer's part.
OTHER_EVENT = _compile_words(
    r"miss(?:es|ed)?|near\s+miss|sav(?:es?|ed|ing)|chances?|sitter",
    r"(?:hits?|off)\s+(?:the\s+)?(?:post|bar|crossbar|woodwork)|crossbar|woodwork",
    r"tackles?|skills?|nutmegs?|dribbl\w+|runs?|fouls?|injur\w+|challenge|stamp|elbow|headbutt|slap",
    r"shouts?|appeals?|claims?|hand\s?ball|dives?|simulation|penalty\s+(?:call|decision|incident|awarded|won)",
    r"(?:red|yellow)s?|booked|cards?|booking|sending|ejected|referee|ref|var|line(?:s)?man",
    r"fights?|brawl|scuffle|altercation|reactions?|react(?:s|ing)|fans?|chants?|tifo|atmosphere|streaker|invader",
    r"interviews?|presser|press\s+conference|quotes?|pass(?:es)?|clearances?|cleared|blocks?|blocked|goal-?line",
    r"stats?|xg|ratings?|motm|tables?|standings|possession|draws?|results?|report|preview|prediction|odds",
    r"half[\s-]?time|full[\s-]?time|ht|ft|final\s+whistle|kick-?off|minute'?s\s+silence|substitut\w+|subbed|debut",
    r"compares?|comparison|controvers\w+|incidents?|replays?|tactical|analysis|comment(?:ary|ator)|angles?|mistakes?",
    r"errors?|howler|blunder|almost|nearly|denied|denies|sets?\s?up|assist(?:s|ed)?|celebrat\w+|training|warm-?up",
    r"goalless|beats?|wins?|lose[sd]?",
)

# Notes on a goal that name another event.
HARMLESS_NOTE = _compile_words(
    r"assist(?:ed)?(?:\s+by)?|celebrations?|var\s+(?:check|review|decision)|replays?|angles?|commentary|debut"
)

PENALTY = re.compile(
    r"(?<!\w)(?:pen(?:alty|\.)?(?!\s*(?:kick\s+)?(?:rebound|area|box))|pk|panenka|spot[\s-]?kick|from\s+the\s+spot)(?!\w)"
    r"|[(\[]\s?p\.?\s?[)\]]|\+\s?call(?!\w)",
    re.IGNORECASE,
)
OWN_GOAL = re.compile(r"(?<![\w.])(?:own[\s-]?goals?|autogol|[oa]\.\s?g\.?|og)(?!\w)", re.IGNORECASE)

# What titles say about the goal beside its scorer.
DESCRIPTION = _compile_words(
    r"(?:(?:great|amazing|stunning|wonder|brilliant|fantastic|incredible|beautiful|lovely|nice|superb|solo|insane|"
    r"unreal|what\s+a|long[\s-]range|outside\s+the\s+box|team|direct|late|quick|first|second|third|1st|2nd|3rd|4th|"
    r"opening|winning|equali[sz]ing)\s+)*"
    r"(?:goal|golazo|go+l+a*zo+|wondergoal|strike|header|free[\s-]?kick(?:\s+goal)?|fk|volley(?:\s+goal)?|"
    r"(?:bicycle|overhead|scissors?)(?:[\s-]kick)?(?:\s+goal)?|back-?heel|chip|lob|hat[\s-]?trick(?:\s+goal)?|brace|"
    r"screamer|olimpico|rocket|tap[\s-]?in|winner|opener|equali[sz]er|poker|scores?|scored|scorpion(?:\s+kick)?|rabona|"
    r"rebound|trivela|thunderbolt|banger)",
    r"(?:goal)?keeper|gk|a?et",
    r"by",
)

GOAL_WORD = _compile_words(r"(?:own[\s-]?)?goal", r"og")

COMPETITION = _compile_words(
    r"cup|league|liga|ligue|serie|bundesliga|eredivisie|championship|copa|coupe|coppa|pokal|final|semi-?finals?|"
    r"quarter-?finals?|qf|sf|group|round|friendly|friendlies|matchday|md|gw|gameweek|season|uefa|"
    r"fifa|afcon|euros?|conmebol|concacaf|qualif\w+|play-?offs?|libertadores|sudamericana|ucl|uel|uecl|mls|epl|wsl|"
    r"nwsl|trophy|supercup|supercopa|shield|laliga|brasileir\w+|premiership|division"
)
# Words before a number that is no minute. Alone they are no name; "Solly March" and "Joe Day" are.
NUMBERED = re.compile(
    r"leg|week|game|day|part|january|february|march|april|may|june|july|august|september|october|november|december",
    re.IGNORECASE,
)
# Words of a sentence, which no team's name has; "AS Roma" has none of them.
SENTENCE = re.compile(
    r"(?<![\w-])(?:to|make|makes|it|is|was|were|are|has|have|had|after|against|as|for|with|that|this|from|on|at|by|in|"
    r"scor(?:e|es|ed|ing)|goals?|beats?|wins?|won|leads?|lost|lose|draw|his|her|their|he|she|they|we|our|my|who|when|"
    r"why|how|what|first|last|since|during|than|over|get|gets|got|take|takes|be|been|not|now|just|watch|today|tonight|"
    r"Watch|Goals?|Scores|How|Why|When|What|Today|Tonight|Since|After|With|If|This|That|The\s+last)(?![\w-])"
)
_PARTICLES = """
de da do dos das del della di la le el al van von der den ter ten bin ben ibn abu y e i du des st mac mc af av
"""
NAME_PARTICLES = frozenset(_PARTICLES.split())
