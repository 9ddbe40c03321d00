"""The countries that have a national football team, by the names that feeds give those teams."""

import re

from found_footy.domain.ids import fold_to_ascii

_EUROPE = """
Albania, Andorra, Armenia, Austria, Azerbaijan, Belarus, Belgium, Bosnia, Bosnia & Herzegovina, Bulgaria, Croatia,
Cyprus, Czech Republic, Czechia, Denmark, England, Estonia, FYR Macedonia, Faroe Islands, Finland, France, Georgia,
Germany, Gibraltar, Great Britain, Greece, Hungary, Iceland, Ireland, Israel, Italy, Kazakhstan, Kosovo, Latvia,
Liechtenstein, Lithuania, Luxembourg, Macedonia, Malta, Moldova, Montenegro, Netherlands, North Macedonia, Northern
Ireland, Norway, Poland, Portugal, Rep. Of Ireland, Republic of Ireland, Romania, Russia, San Marino, Scotland,
Serbia, Slovakia, Slovenia, Spain, Sweden, Switzerland, Turkey, Türkiye, Ukraine, Wales
"""
_AMERICAS = """
Anguilla, Antigua and Barbuda, Argentina, Aruba, Bahamas, Barbados, Belize, Bermuda, Bolivia, Bonaire, Brazil, British
Virgin Islands, Canada, Cayman Islands, Chile, Colombia, Costa Rica, Cuba, Curaçao, Dominica, Dominican Republic,
Ecuador, El Salvador, French Guiana, Grenada, Guadeloupe, Guatemala, Guyana, Haiti, Honduras, Jamaica, Martinique,
Mexico, Montserrat, Nicaragua, Panama, Paraguay, Peru, Puerto Rico, Sint Maarten, St. Kitts and Nevis, St. Lucia, St.
Martin, St. Vincent / Grenadines, St. Vincent and the Grenadines, Surinam, Suriname, Trinidad and Tobago, Turks and
Caicos Islands, US Virgin Islands, USA, United States, Uruguay, Venezuela
"""
_AFRICA = """
Algeria, Angola, Benin, Botswana, Burkina Faso, Burundi, Cabo Verde, Cameroon, Cape Verde, Cape Verde Islands, Central
African Republic, Chad, Comoros, Congo, Congo DR, Congo-Brazzaville, Côte d'Ivoire, DR Congo, Djibouti, Egypt,
Equatorial Guinea, Eritrea, Eswatini, Ethiopia, Gabon, Gambia, Ghana, Guinea, Guinea-Bissau, Ivory Coast, Kenya,
Lesotho, Liberia, Libya, Madagascar, Malawi, Mali, Mauritania, Mauritius, Morocco, Mozambique, Namibia, Niger,
Nigeria, Rwanda, Réunion, Senegal, Seychelles, Sierra Leone, Somalia, South Africa, South Sudan, Sudan, Swaziland, São
Tomé and Príncipe, São Tomé e Príncipe, Tanzania, Togo, Tunisia, Uganda, Zambia, Zanzibar, Zimbabwe
"""
_ASIA_AND_OCEANIA = """
Afghanistan, American Samoa, Australia, Bahrain, Bangladesh, Bhutan, Brunei, Brunei Darussalam, Cambodia, China, China
PR, Chinese Taipei, Cook Islands, East Timor, Fiji, Guam, Hong Kong, India, Indonesia, Iran, Iraq, Japan, Jordan,
Kiribati, Korea DPR, Korea Republic, Kuwait, Kyrgyz Republic, Kyrgyzstan, Laos, Lebanon, Macao, Macau, Malaysia,
Maldives, Mongolia, Myanmar, Nepal, New Caledonia, New Zealand, North Korea, Northern Mariana Islands, Oman, Pakistan,
Palestine, Papua New Guinea, Philippines, Qatar, Samoa, Saudi Arabia, Singapore, Solomon Islands, South Korea, Sri
Lanka, Syria, Tahiti, Taiwan, Tajikistan, Thailand, Timor-Leste, Tonga, Turkmenistan, Tuvalu, UAE, United Arab
Emirates, Uzbekistan, Vanuatu, Vietnam, Yemen
"""
# Suffixes of women's, reserve, youth and Olympic teams; a name may have several.
_SQUAD_SUFFIX = re.compile(r"\s+(?:w|women|b|u-?\d\d|under[- ]?\d\d|olympic)$", re.IGNORECASE)
_WORD_SYNONYMS = {"st": "saint", "rep": "republic"}
_IGNORED_WORDS = frozenset({"and", "e", "of", "the"})


def normalize_country(name: str) -> str:
    """Normalize a country's name for comparison: lower-case ASCII, no punctuation, no joining words."""
    words = re.sub(r"[^a-z0-9]+", " ", fold_to_ascii(name).lower()).split()
    return " ".join(_WORD_SYNONYMS.get(word, word) for word in words if word not in _IGNORED_WORDS)


def strip_squad_suffix(team: str) -> str:
    """Return the name of the country or club without squad suffixes: "England U19 W" → "England"."""
    bare = _SQUAD_SUFFIX.sub("", team.strip())
    return bare if bare == team.strip() else strip_squad_suffix(bare)


def national_team_names() -> tuple[str, ...]:
    parts = (_EUROPE, _AMERICAS, _AFRICA, _ASIA_AND_OCEANIA)
    return tuple(" ".join(name.split()) for part in parts for name in part.split(","))


_NATIONAL_TEAM_KEYS = frozenset(map(normalize_country, national_team_names()))


def is_national_team(team: str) -> bool:
    """Whether the team is named after a country; squad suffixes are ignored."""
    return normalize_country(strip_squad_suffix(team)) in _NATIONAL_TEAM_KEYS
