"""Clubs, countries and other items of the same names, as Wikidata has them."""

from collections.abc import Sequence

from found_footy_sim.wikidata import ItemStatement, WikidataItem

CLUB, MENS_TEAM, RESERVE, WOMEN = "Q476028", "Q103229495", "Q2412834", "Q28140340"
NATIONAL, MENS_NATIONAL, U21 = "Q6979593", "Q135408445", "Q131453798"
CITY, MULTISPORT, DEFUNCT = "Q515", "Q13580678", "Q94579592"
FOOTBALL, BASKETBALL = "Q2736", "Q5372"
ENGLAND, UK, URUGUAY, SPAIN = "Q21", "Q145", "Q77", "Q29"


def item(
    number: int,
    label: str,
    *classes: str,
    country: str = "",
    aliases: Sequence[str] = (),
    description: str = "",
    more: Sequence[ItemStatement] = (),
    sitelinks: int = 3,
    language: str = "en",
) -> WikidataItem:
    said = [ItemStatement("P31", name) for name in classes]
    said += [ItemStatement("P17", country)] if country else []
    return WikidataItem(
        f"Q{number}",
        {language: label},
        description,
        {language: list(aliases)} if aliases else {},
        [*said, *more],
        sitelinks,
    )


LIVERPOOL_CITY = item(24826, "Liverpool", CITY, country=UK, description="city in England", sitelinks=190)
LIVERPOOL = item(
    1130849,
    "Liverpool F.C.",
    CLUB,
    country=UK,
    sitelinks=120,
    description="association football club in Liverpool, England",
    aliases=["Liverpool", "LFC", "Liverpool Football Club", "The Reds", "Liverpool FC (football)", "LFC 1892"],
    more=[
        ItemStatement("P1449", "Reds", "en"),
        ItemStatement("P1813", "Liverpool", "en"),
        ItemStatement("P1448", "Everton Athletic", "en", ended=True),
    ],
)
LIVERPOOL_WOMEN = item(
    1137001,
    "Liverpool F.C. Women",
    WOMEN,
    country=UK,
    aliases=["Liverpool", "LFC Women"],
    sitelinks=20,
    description="women's association football club",
)
LIVERPOOL_U21 = item(1137002, "Liverpool F.C. Reserves", CLUB, RESERVE, country=UK, aliases=["Liverpool"], sitelinks=15)
LIVERPOOL_URUGUAY = item(
    1137003,
    "Liverpool Fútbol Club",
    CLUB,
    country=URUGUAY,
    aliases=["Liverpool", "Negriazules"],
    description="association football club in Montevideo, Uruguay",
    sitelinks=25,
)
BARCELONA = item(
    7156,
    "FC Barcelona",
    MENS_TEAM,
    country=SPAIN,
    aliases=["Barcelona", "Barça", "FCB", "Блауграна"],
    sitelinks=150,
    language="mul",
    description="association football team in Barcelona, Spain",
)
BARCELONA_BASKET = item(
    7157,
    "FC Barcelona Bàsquet",
    MULTISPORT,
    country=SPAIN,
    aliases=["Barcelona"],
    description="basketball team",
    more=[ItemStatement("P641", BASKETBALL)],
    sitelinks=60,
)
FRANCE = item(
    47774,
    "France men's national football team",
    MENS_NATIONAL,
    country="Q142",
    sitelinks=100,
    aliases=["France national football team", "Les Bleus"],
)
FRANCE_U21 = item(
    47775,
    "France men's national under-21 football team",
    NATIONAL,
    U21,
    country="Q142",
    aliases=["France national football team U21"],
    sitelinks=20,
)
FRANCE_WOMEN = item(47776, "France women's national football team", NATIONAL, WOMEN, country="Q142", sitelinks=50)
EVERYTHING = (
    LIVERPOOL_CITY,
    LIVERPOOL_WOMEN,
    LIVERPOOL_U21,
    LIVERPOOL_URUGUAY,
    LIVERPOOL,
    BARCELONA_BASKET,
    BARCELONA,
    FRANCE_U21,
    FRANCE_WOMEN,
    FRANCE,
)
