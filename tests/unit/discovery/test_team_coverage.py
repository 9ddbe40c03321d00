"""Teams that play in the leagues followed by default are in the table, as the feed spells them."""

import pytest

from found_footy.discovery.aliases.table import find_known_team
from found_footy.domain.messages import ResolveAliases

DOMESTIC = {
    "England": """
        Arsenal, Aston Villa, Bournemouth, Brentford, Brighton, Burnley, Chelsea, Crystal Palace, Everton, Fulham,
        Ipswich, Leeds, Leicester, Liverpool, Luton, Manchester City, Manchester United, Newcastle, Nottingham
        Forest, Sheffield Utd, Southampton, Sunderland, Tottenham, West Ham, Wolves
    """,
    "Spain": """
        Alaves, Almeria, Athletic Club, Atletico Madrid, Barcelona, Cadiz, Celta Vigo, Elche, Espanyol, Getafe,
        Girona, Granada CF, Las Palmas, Leganes, Levante, Mallorca, Osasuna, Oviedo, Rayo Vallecano, Real Betis,
        Real Madrid, Real Sociedad, Sevilla, Valencia, Valladolid, Villarreal
    """,
    "Italy": """
        AC Milan, AS Roma, Atalanta, Bologna, Cagliari, Como, Cremonese, Empoli, Fiorentina, Frosinone, Genoa,
        Inter, Juventus, Lazio, Lecce, Monza, Napoli, Parma, Pisa, Salernitana, Sampdoria, Sassuolo, Spezia, Torino,
        Udinese, Venezia, Verona
    """,
    "Germany": """
        1. FC Heidenheim, 1. FC Köln, 1899 Hoffenheim, Bayer Leverkusen, Bayern München, Borussia Dortmund, Borussia
        Mönchengladbach, Eintracht Frankfurt, FC Augsburg, FC Schalke 04, FC St. Pauli, FSV Mainz 05, Hamburger SV,
        Hertha BSC, Holstein Kiel, RB Leipzig, SC Freiburg, SV Darmstadt 98, Union Berlin, VfB Stuttgart, VfL
        Bochum, VfL Wolfsburg, Werder Bremen
    """,
    "France": """
        Ajaccio, Angers, Auxerre, Clermont Foot, Estac Troyes, LE Havre, Lens, Lille, Lorient, Lyon, Marseille,
        Metz, Monaco, Montpellier, Nantes, Nice, Paris FC, Paris Saint Germain, Reims, Rennes, Saint Etienne, Stade
        Brestois 29, Strasbourg, Toulouse
    """,
    "Netherlands": """
        AZ Alkmaar, Ajax, Almere City FC, Excelsior, FC Volendam, Feyenoord, Fortuna Sittard, GO Ahead Eagles,
        Groningen, Heerenveen, Heracles, NAC Breda, NEC Nijmegen, PEC Zwolle, PSV Eindhoven, RKC Waalwijk, Sparta
        Rotterdam, Telstar, Twente, Utrecht, Vitesse, Willem II
    """,
    "Portugal": """
        AVS, Alverca, Arouca, Benfica, Boavista, Casa Pia, Chaves, Estoril, Estrela, FC Porto, Famalicao, Farense,
        GIL Vicente, Guimaraes, Moreirense, Nacional, Portimonense, Rio Ave, SC Braga, Santa Clara, Sporting CP,
        Tondela, Vizela
    """,
    "USA": """
        Atlanta United FC, Austin, CF Montreal, Charlotte, Chicago Fire, Colorado Rapids, Columbus Crew, DC United,
        FC Cincinnati, FC Dallas, Houston Dynamo, Inter Miami, Los Angeles FC, Los Angeles Galaxy, Minnesota United
        FC, Nashville SC, New England Revolution, New York City FC, New York Red Bulls, Orlando City SC,
        Philadelphia Union, Portland Timbers, Real Salt Lake, San Diego, San Jose Earthquakes, Seattle Sounders,
        Sporting Kansas City, St. Louis City, Toronto FC, Vancouver Whitecaps
    """,
}
# Between countries the feed does not say where a club is from.
BETWEEN_COUNTRIES = {
    "CONMEBOL Libertadores": """
        Aucas, Alianza Lima, Always Ready, America de Cali, Argentinos JRS, Athletico Paranaense, Atletico Nacional,
        Atletico Tucuman, Atletico-MG, Barcelona SC, Bahia, Boca Juniors, Bolivar, Botafogo, Bucaramanga, Caracas
        FC, Carabobo FC, Central Cordoba de Santiago, Cerro Largo, Cerro Porteno, Club Nacional, Cobresal, Colo
        Colo, Corinthians, Cusco, Defensor Sporting, Delfin SC, Deportes Tolima, Deportivo Cali, Deportivo La
        Guaira, Deportivo Pereira, Deportivo Tachira FC, El Nacional, Emelec, Estudiantes L.P., Flamengo,
        Fluminense, Fortaleza EC, Gremio, Guarani, Huachipato, Independiente Medellin, Independiente del Valle,
        Internacional, Junior, LDU de Quito, Libertad Asuncion, Liverpool Montevideo, Magallanes, Melgar,
        Millonarios, Monagas SC, Nacional Asuncion, Nublense, Olimpia, Once Caldas, Oriente Petrolero, Palestino,
        Palmeiras, Penarol, Platense, Portuguesa FC, Racing Club, RB Bragantino, River Plate, Rosario Central, San
        Lorenzo, Santa Fe, Santos, Sao Paulo, Sporting Cristal, Talleres Cordoba, The Strongest, Universidad
        Catolica, Universidad de Chile, Universitario, Velez Sarsfield
    """,
    "UEFA Champions League": """
        AEK Athens FC, Apoel Nicosia, Ararat-Armenia, BSC Young Boys, Bate Borisov, Bodo/Glimt, Borac Banja Luka,
        Breidablik, Brondby, CFR 1907 Cluj, Celtic, Club Brugge KV, Dinamo Batumi, Dinamo Minsk, Dinamo Zagreb,
        Drita, Dynamo Kyiv, Egnatia Rrogozhine, FC Basel 1893, FC Copenhagen, FC Flora Tallinn, FC Midtjylland, FC
        Noah, FC Santa Coloma, FCSB, FK Crvena Zvezda, FK Partizan, Fenerbahce, Ferencvarosi TC, Galatasaray, Genk,
        HJK helsinki, Hamrun Spartans, KI Klaksvik, Kairat Almaty, KuPS, Larne, Lech Poznan, Levadia Tallinn,
        Lincoln Red Imps FC, Linfield, Ludogorets, Maccabi Haifa, Maccabi Tel Aviv, Malmo FF, Molde, NK Olimpija
        Ljubljana, Olympiakos Piraeus, Ordabasy, PAOK, Pafos, Panathinaikos, Partizani, Petrocub, Plzen, Qarabag,
        Rangers, Red Bull Salzburg, Rigas Futbola Skola, Servette FC, Shakhtar Donetsk, Shamrock Rovers, Shelbourne,
        Sheriff Tiraspol, Shkendija, Slavia Praha, Slovan Bratislava, Sparta Praha, Struga, Sturm Graz, Swift
        Hesperange, TSC Backa Topola, The New Saints, Trabzonspor, UE Santa Coloma, Union St. Gilloise, Urartu,
        Valmiera / BSS, Valur Reykjavik, Viking, Vikingur Reykjavik, Virtus, Zalgiris Vilnius, Zrinjski
    """,
    "UEFA Europa League": """
        AIK stockholm, Anderlecht, Aris Thessalonikis, BK Hacken, Besiktas, Botev Plovdiv, Brann, CSKA Sofia, Cercle
        Brugge, Corvinul Hunedoara, Cukaricki, Djurgardens IF, Dnipro-1, FC Lugano, FC Nordsjaelland, FC ST. Gallen,
        FK Sarajevo, Fredrikstad, Gent, HNK Rijeka, Hajduk Split, Hammarby FF, Hapoel Beer Sheva, IF Elfsborg,
        Jagiellonia, Kryvbas KR, LASK Linz, Legia Warszawa, Levski Sofia, Maribor, Neftci Baku, Omonia Nicosia,
        Puskas Academy, Rakow Czestochowa, Rapid Vienna, Rosenborg, Sabah FA, Sheriff Tiraspol, Silkeborg, Spartak
        Trnava, Standard Liege, Tobol Kostanay, Tromso, Vojvodina, Wisla Krakow, Zira, Zorya Luhansk
    """,
    "UEFA Europa Conference League": """
        AEK Larnaca, Aarhus, Aberdeen, Aktobe, Alashkert, Antwerp, Apollon Limassol, Araz, Arda Kardzhali, Aris,
        Atletic Escaldes, Auda, Austria Vienna, B36 Torshavn, Bala Town, Ballkani, Banik Ostrava, Basaksehir, Beitar
        Jerusalem, Birkirkara, Bohemians, Bruno's Magpies, Buducnost Podgorica, Caernarfon Town, Charleroi, Cherno
        More Varna, Cliftonville, Connah's Q., Crusaders FC, Decic, Derry City, Differdange 03, Dila, Dinamo
        Tbilisi, Dinamo Tirana, Dunajska Streda, Dundee Utd, Dungannon Swifts, Europa FC, F91 Dudelange, FC Astana,
        FC Milsami-Ursidos, FC Prishtina, FC Vaduz, FC Zurich, Farul Constanta, Fehervar FC, Floriana, Go Ahead
        Eagles, Gornik Zabrze, HB, Hapoel Tel Aviv, Haverfordwest County AFC, Hearts, Hegelmann Litauen, Hibernian,
        Ilves, Inter Club D'Escaldes, KA Akureyri, KF Llapi, Kauno Zalgiris, Kilmarnock, Kosice, La Fiorita,
        Lausanne, Levadia Tallinn, Lokomotiv Plovdiv, Makedonija G.P., Marsaxlokk, Mlada Boleslav, Mornar, NK Celje,
        NK Osijek, NK Varazdin, NSI Runavik, Neman, Nomme Kalju, Novi Pazar, Paide Linnameeskond, Paksi SE,
        Panevezys, Penybont, Pogon Szczecin, Polessya, Progres Niederkorn, Pyunik Yerevan, Racing FC Union
        Luxembourg, Radnicki 1923, Riga, SJK, ST Mirren, Saburtalo, Sabah FA, Sepsi OSK Sfantu Gheorghe, Shkupi
        1927, Sigma Olomouc, Silkeborg, Siroki Brijeg, Slask Wroclaw, Sliema Wanderers, Spaeri, St Joseph S FC, St
        Patrick's Athl., Stjarnan, Sutjeska, TSV Hartberg, Teuta Durres, Tikves, Torpedo Kutaisi, Torpedo Zhodino,
        Tre Fiori, Tre Penne, UNA Strassen, Universitatea Craiova, Universitatea Cluj, VPS, Valletta, Velez,
        Vikingur, Vllaznia Shkoder, Vorskla Poltava, Wolfsberger AC, Zeljeznicar Sarajevo, Zilina, Zimbru
    """,
    "as the feed writes them elsewhere": """
        Atlètic Club d'Escaldes, Banga, Baník Ostrava, Başakşehir, Bayern München, Beşiktaş, BFC Daugavpils, Bolívar,
        Bravo, Celje, CF Pachuca, Cliftonville FC, Club Guarani, D. La Serena, Dečić, Dinamo Brest, Dungannon Swifts,
        Egnatia Rrogozhinë, FBC Melgar, FC Isloch Minsk R., FC Levadia Tallinn, FC Urartu, Fehérvár FC, Fenerbahçe,
        FK Košice, FK Liepaja, FK Rabotnicki, FK Tobol Kostanay, FK Zalgiris Vilnius, Flora Tallinn, Fortaleza FC,
        GAP Connah S Quay FC, Gualberto Villarroel SJ, Gyori ETO FC, HB Torshavn, Heart Of Midlothian, Hellas Verona,
        Hibernians, HJK Helsinki, HNK Hajduk Split, Inter Club d'Escaldes, Internacional de Bogota, Kalju Nomme,
        Kauno Žalgiris, Lask Linz, Le Havre, Magpies, Mazatlán, Milsami Orhei, Nacional Potosí, Olimpija Ljubljana,
        Oviedo, Paide, Paks, Panevėžys, Prishtina, Puerto Cabello, Pumas, Raków Częstochowa, Ružomberok, Rīgas FS,
        Sileks, St Joseph S Fc, Sumqayıt, Tallinna Kalev, Tikveš, Tirana, TransINVEST Vilnius, U.N.A.M. - Pumas, Velež,
        Vikingur Gota, Vllaznia Shkodër, Waalwijk
    """,
    "South American cups beside it": """
        Aldosivi, Atletico Goianiense, Atletico Grau, Audax Italiano, Banfield, Blooming, Boston River, Ceara,
        Cienciano, Coquimbo Unido, Cruzeiro, Cuiaba, Defensa Y Justicia, Deportes Iquique, Everton de Vina, Godoy
        Cruz, Gimnasia L.P., GV San Jose, Huracan, Independiente, Lanus, Mushuc Runa SC, Montevideo City Torque,
        Nacional Potosi, Newells Old Boys, Orense SC, Racing Montevideo, Sportivo Luqueno, Tigre, Sport Huancayo, U.
        Catolica, Union Espanola, Union La Calera, Union Santa Fe, Vasco DA Gama, Vitoria, Wanderers
    """,
}
NATIONS = """
        England, France, Germany, Türkiye, Turkey, Bosnia & Herzegovina, Rep. Of Ireland, Czech Republic, Czechia,
        Argentina, Brazil, Uruguay, USA, Mexico, Canada, Costa Rica, Curaçao, Haiti, Suriname, Jamaica, Honduras,
        Panama, Morocco, Congo DR, Cape Verde Islands, Ivory Coast, Côte d'Ivoire, Burkina Faso, Equatorial Guinea,
        Guinea-Bissau, Japan, South Korea, Korea Republic, Australia, Iran, Saudi Arabia, Uzbekistan, Jordan, Iraq,
        China, China PR, UAE, New Zealand, New Caledonia, Faroe Islands, FYR Macedonia, North Macedonia, Kosovo,
        Gibraltar, Kyrgyzstan, Timor-Leste
    """
# A few clubs of one summer come and go; most must be known.
WANTED_BETWEEN_COUNTRIES = 0.95


def listed(text: str) -> list[str]:
    return [" ".join(name.split()) for name in text.split(",")]


@pytest.mark.parametrize("country", DOMESTIC)
def test_every_club_of_a_followed_league_is_known(country: str) -> None:
    unknown = [name for name in listed(DOMESTIC[country]) if find_known_team(ResolveAliases(0, name, country)) is None]
    assert not unknown


@pytest.mark.parametrize("league", BETWEEN_COUNTRIES)
def test_nearly_every_club_that_plays_abroad_is_known(league: str) -> None:
    names = listed(BETWEEN_COUNTRIES[league])
    unknown = [name for name in names if find_known_team(ResolveAliases(0, name)) is None]
    assert len(unknown) <= (1 - WANTED_BETWEEN_COUNTRIES) * len(names), unknown


def test_national_teams_are_known() -> None:
    unknown = [
        name for name in listed(NATIONS) if find_known_team(ResolveAliases(0, name, None, national=True)) is None
    ]
    assert not unknown
