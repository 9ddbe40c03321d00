"""Flags of national teams as posts write them: two regional indicators."""

from functools import cache

from found_footy.domain.national_teams import normalize_country, strip_squad_suffix

# ISO 3166-1 codes. The flags of England, Scotland and Wales are sequences that searches do not find.
_COUNTRIES_BY_CODE = """
AL Albania, DZ Algeria, AO Angola, AR Argentina, AM Armenia, AU Australia, AT Austria, AZ Azerbaijan, BH Bahrain, BY
Belarus, BE Belgium, BJ Benin, BO Bolivia, BA Bosnia, BA Bosnia & Herzegovina, BR Brazil, BG Bulgaria, BF Burkina Faso,
CM Cameroon, CA Canada, CV Cabo Verde, CV Cape Verde, CV Cape Verde Islands, CL Chile, CN China, CN China PR, CO
Colombia, CD Congo DR, CD DR Congo, CR Costa Rica, HR Croatia, CW Curaçao, CY Cyprus, CZ Czechia, CZ Czech Republic, DK
Denmark, EC Ecuador, EG Egypt, SV El Salvador, EE Estonia, FO Faroe Islands, FI Finland, FR France, GA Gabon, GE
Georgia, DE Germany, GH Ghana, GI Gibraltar, GR Greece, GT Guatemala, GN Guinea, HT Haiti, HN Honduras, HU Hungary, IS
Iceland, IN India, ID Indonesia, IR Iran, IQ Iraq, IE Ireland, IE Rep. Of Ireland, IE Republic of Ireland, IL Israel,
IT Italy, CI Ivory Coast, CI Côte d'Ivoire, JM Jamaica, JP Japan, JO Jordan, KZ Kazakhstan, KE Kenya, XK Kosovo, KW
Kuwait, LV Latvia, LI Liechtenstein, LT Lithuania, LU Luxembourg, MY Malaysia, ML Mali, MT Malta, MX Mexico, MD
Moldova, ME Montenegro, MA Morocco, MZ Mozambique, NL Netherlands, NZ New Zealand, NG Nigeria, MK North Macedonia, NO
Norway, OM Oman, PA Panama, PY Paraguay, PE Peru, PL Poland, PT Portugal, QA Qatar, RO Romania, RU Russia, SM San
Marino, SA Saudi Arabia, SN Senegal, RS Serbia, SK Slovakia, SI Slovenia, ZA South Africa, KR South Korea, KR Korea
Republic, ES Spain, SD Sudan, SE Sweden, CH Switzerland, TZ Tanzania, TH Thailand, TT Trinidad and Tobago, TN Tunisia,
TR Turkey, TR Türkiye, UG Uganda, UA Ukraine, AE UAE, AE United Arab Emirates, US USA, US United States, UY Uruguay, UZ
Uzbekistan, VE Venezuela, VN Vietnam, ZM Zambia, ZW Zimbabwe
"""
_FIRST_INDICATOR = 0x1F1E6


def find_flag(team: str) -> str:
    """The flag of a national team, empty if it has none that can be searched for."""
    code = _codes_by_country().get(normalize_country(strip_squad_suffix(team)), "")
    return "".join(chr(_FIRST_INDICATOR + ord(letter) - ord("A")) for letter in code)


@cache
def _codes_by_country() -> dict[str, str]:
    rows = (" ".join(row.split()).partition(" ") for row in _COUNTRIES_BY_CODE.split(","))
    return {normalize_country(name): code for code, _, name in rows}
