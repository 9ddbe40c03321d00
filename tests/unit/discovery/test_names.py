"""Players are searched by the words that people write."""

import pytest

from found_footy.discovery.query.player_names import MAX_NAMES, extract_player_search_names


@pytest.mark.parametrize(
    ("player", "names"),
    [
        ("Florian Wirtz", ("Florian", "Wirtz")),
        ("Mohamed Salah", ("Salah",)),
        ("Rodri", ("Rodri",)),
        ("Vinícius Júnior", ("Vinicius",)),
        ("Neymar Jr.", ("Neymar",)),
        ("D. Szoboszlai", ("Szoboszlai",)),
        ("J.P. Mateta", ("Mateta",)),
        ("K Mbappé", ("Mbappe",)),
        ("M. Ødegaard", ("Odegaard",)),
        ("Łukasz Fabiański", ("Lukasz", "Fabianski")),
        ("Kieran Strauß", ("Kieran", "Strauss")),
        ("Đorđe Petrović", ("Dorde", "Petrovic")),
        ("Rasmus Højlund", ("Rasmus", "Hojlund")),
        ("Ola Brynhildsen Bæk", ("Ola", "Brynhildsen", "Baek")),
        ("İlkay Gündoğan", ("Ilkay", "Gundogan")),
        ("Hwang Hee-Chan", ("Hwang", "Hee Chan")),
        ("Sávio", ("Savio",)),
        ("Son Heung-Min", ("Son", "Heung Min")),
        ("Heung-Min Son", ("Heung Min", "Son")),
        ("Lee Kang-In", ("Lee", "Kang In")),
        ("Kim Min-Jae", ("Kim", "Min Jae")),
        ("Kevin De Bruyne", ("Bruyne",)),
        ("Virgil van Dijk", ("Virgil", "Dijk")),
        ("Rúben dos Santos Gato Alves Dias", ("Ruben", "Gato", "Alves", "Dias")),
        ("Salem Al-Dawsari", ("Salem", "Dawsari")),
        ("Trent Alexander-Arnold", ("Trent", "Arnold")),
        ("Pierre-Emerick Aubameyang", ("Emerick", "Aubameyang")),
        ("N'Golo Kanté", ("N'Golo", "Kante")),
        ("Jake O’Brien", ("O'Brien",)),
        ("Gabriel Jesus", ("Gabriel", "Jesus")),
        ("Karim Adeyemi", ("Adeyemi",)),
        ("Igor Thiago", ("Igor", "Thiago")),
        ("Pedro Neto", ("Neto",)),
        ("P. Neto", ("Neto",)),
        ("João Neto", ("Neto",)),
        ("Luis Filho", ("Filho",)),
        ("Luis Jr.", ("Luis",)),
        ("Vini Jr.", ("Vini",)),
        ("Endrick Filho", ("Endrick",)),
        ("Gabriel Magalhães", ("Gabriel", "Magalhaes")),
        ("João Pedro", ("Joao", "Pedro")),
        ("Ze Rafael", ("Ze", "Rafael")),
        ("Zé Rafael", ("Ze", "Rafael")),
        ("Victor Sa", ("Victor",)),
        ("Jonathan Bay", ("Jonathan", "Bay")),
        ("R. One", ("One",)),
        ("E. Can", ("Can",)),
        ("Ramon One", ("Ramon",)),
        ("Wu Lei", ("Wu Lei",)),
        ("J.-P. Mateta", ("Mateta",)),
        ("George Best", ("George",)),
        ("H. Son", ("Son",)),
        ("D. Ba", ("Ba",)),
        ("Jonathan David", ("Jonathan", "David")),
        ("Luis Díaz", ("Diaz",)),
        ("Luka Jović", ("Jovic",)),
        ("Rafael Leão", ("Leao",)),
        ("Che Adams", ("Che", "Adams")),
        ("孫興慜", ("孫興慜",)),
        ("Ли Ён", ("Ён",)),
        ("  ", ()),
        ("...", ()),
    ],
)
def test_a_name_is_reduced_to_its_distinctive_words(player: str, names: tuple[str, ...]) -> None:
    assert extract_player_search_names(player) == names


@pytest.mark.parametrize("player", ["Juan", "Mohamed Ali", "de la", "Jr.", "A. B.", "Al", "José María"])
def test_a_name_of_nothing_but_common_words_is_kept(player: str) -> None:
    assert extract_player_search_names(player)


def test_a_long_name_is_cut_to_its_first_and_last_words() -> None:
    names = extract_player_search_names("Ruud Nistelrooy Cruz Perez Gonzalez Valverde")
    assert names == ("Ruud", "Perez", "Gonzalez", "Valverde")
    assert len(names) == MAX_NAMES
