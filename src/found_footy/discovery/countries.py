"""What countries are called in the feed, and which items of the knowledge base stand for them."""

from found_footy.model.ids import fold

_UNITED_KINGDOM = "Q145"
_IDS = {
    "albania": "Q222", "algeria": "Q262", "andorra": "Q228", "angola": "Q916", "argentina": "Q414", "armenia": "Q399",
    "australia": "Q408", "austria": "Q40", "azerbaijan": "Q227", "belarus": "Q184", "belgium": "Q31",
    "bolivia": "Q750", "bosnia": "Q225", "brazil": "Q155", "bulgaria": "Q219", "cameroon": "Q1009", "canada": "Q16",
    "chile": "Q298", "china": "Q148", "colombia": "Q739", "congo dr": "Q974", "costa rica": "Q800", "croatia": "Q224",
    "cyprus": "Q229", "czech republic": "Q213", "czechia": "Q213", "denmark": "Q35", "ecuador": "Q736",
    "egypt": "Q79", "el salvador": "Q792", "england": "Q21", "estonia": "Q191", "faroe islands": "Q4628",
    "finland": "Q33", "france": "Q142", "georgia": "Q230", "germany": "Q183", "ghana": "Q117", "gibraltar": "Q1410",
    "greece": "Q41", "guatemala": "Q774", "honduras": "Q783", "hungary": "Q28", "iceland": "Q189", "india": "Q668",
    "indonesia": "Q252", "iran": "Q794", "iraq": "Q796", "ireland": "Q27", "israel": "Q801", "italy": "Q38",
    "ivory coast": "Q1008", "jamaica": "Q766", "japan": "Q17", "jordan": "Q810", "kazakhstan": "Q232",
    "kenya": "Q114", "kosovo": "Q1246", "kuwait": "Q817", "latvia": "Q211", "liechtenstein": "Q347",
    "lithuania": "Q37", "luxembourg": "Q32", "macedonia": "Q221", "malaysia": "Q833", "malta": "Q233",
    "mexico": "Q96", "moldova": "Q217", "montenegro": "Q236", "morocco": "Q1028", "netherlands": "Q55",
    "new zealand": "Q664", "nigeria": "Q1033", "north macedonia": "Q221", "northern ireland": "Q26", "norway": "Q20",
    "panama": "Q804", "paraguay": "Q733", "peru": "Q419", "poland": "Q36", "portugal": "Q45", "qatar": "Q846",
    "romania": "Q218", "russia": "Q159", "san marino": "Q238", "saudi arabia": "Q851", "scotland": "Q22",
    "senegal": "Q1041", "serbia": "Q403", "slovakia": "Q214", "slovenia": "Q215", "south africa": "Q258",
    "south korea": "Q884", "spain": "Q29", "sweden": "Q34", "switzerland": "Q39", "tanzania": "Q924",
    "thailand": "Q869", "tunisia": "Q948", "turkey": "Q43", "turkiye": "Q43", "ukraine": "Q212",
    "united arab emirates": "Q878", "uruguay": "Q77", "usa": "Q30", "uzbekistan": "Q265", "venezuela": "Q717",
    "vietnam": "Q881", "wales": "Q25", "zambia": "Q953",
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
