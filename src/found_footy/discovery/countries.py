"""What countries are called in the feed, and which items of the knowledge base stand for them."""

from found_footy.model.ids import fold

_UNITED_KINGDOM = "Q145"
_IDS = {
    "algeria": "Q262", "argentina": "Q414", "australia": "Q408", "austria": "Q40", "belgium": "Q31",
    "bolivia": "Q750", "brazil": "Q155", "bulgaria": "Q219", "cameroon": "Q1009", "canada": "Q16", "chile": "Q298",
    "china": "Q148", "colombia": "Q739", "costa rica": "Q800", "croatia": "Q224", "czech republic": "Q213",
    "czechia": "Q213", "denmark": "Q35", "ecuador": "Q736", "egypt": "Q79", "england": "Q21", "finland": "Q33",
    "france": "Q142", "germany": "Q183", "ghana": "Q117", "greece": "Q41", "hungary": "Q28", "iceland": "Q189",
    "iran": "Q794", "ireland": "Q27", "israel": "Q801", "italy": "Q38", "ivory coast": "Q1008", "japan": "Q17",
    "mexico": "Q96", "morocco": "Q1028", "netherlands": "Q55", "nigeria": "Q1033", "northern ireland": "Q26",
    "norway": "Q20", "paraguay": "Q733", "peru": "Q419", "poland": "Q36", "portugal": "Q45", "qatar": "Q846",
    "romania": "Q218", "russia": "Q159", "saudi arabia": "Q851", "scotland": "Q22", "senegal": "Q1041",
    "serbia": "Q403", "slovakia": "Q214", "slovenia": "Q215", "south africa": "Q258", "south korea": "Q884",
    "spain": "Q29", "sweden": "Q34", "switzerland": "Q39", "tunisia": "Q948", "turkey": "Q43", "turkiye": "Q43",
    "ukraine": "Q212", "united arab emirates": "Q878", "uruguay": "Q77", "usa": "Q30", "venezuela": "Q717",
    "wales": "Q25",
}  # fmt: skip
_HOME_NATIONS = frozenset({"england", "scotland", "wales", "northern ireland"})
# Clubs that play in a neighbour's league.
_GUESTS = {
    "france": ("Q235",), "england": ("Q25",), "usa": ("Q16",), "italy": ("Q238",), "switzerland": ("Q347",),
    "australia": ("Q664",), "spain": ("Q228",), "wales": ("Q21",),
}  # fmt: skip


def country_ids(country: str | None) -> tuple[str, ...]:
    """The items that a club of this country's league may name as its country; none if the country is not known."""
    name = fold(country or "").replace("-", " ").strip().lower()
    if name not in _IDS:
        return ()
    wider = (_UNITED_KINGDOM,) if name in _HOME_NATIONS else ()
    return (_IDS[name], *wider, *_GUESTS.get(name, ()))
