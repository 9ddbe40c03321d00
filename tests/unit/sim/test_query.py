import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy_sim.search_query import SearchDocument, compile_query

POST = SearchDocument("GOAL! Dominik Szoboszlai fires it in for Liverpool 🔥 #LFC #LIVARS", "sim_kopwatch")
ACCENTS = SearchDocument("Vinícius Júnior!!! Gooool de Ødegaard y Großkreutz", "madridista")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("Szoboszlai", True),
        ("szoboszlai LIVERPOOL", True),
        ("Szoboszlai Arsenal", False),
        ("(Florian OR Szoboszlai) (LFC OR Liverpool)", True),
        ("(Florian OR Wirtz) (LFC OR Liverpool)", False),
        ("(Florian OR Szoboszlai) (AFC OR Arsenal)", False),
        ('"Dominik Szoboszlai"', True),
        ('"Szoboszlai Dominik"', False),
        ('(Salah OR "Dominik Szoboszlai") Liverpool', True),
        ("LFC", True),
        ("#LFC", True),
        ("Liver", False),
        ("Szoboszlai -Liverpool", False),
        ("Szoboszlai -Arsenal", True),
        ('Szoboszlai -"for Liverpool"', False),
        ("Szoboszlai filter:videos -filter:replies since_time:1794754800", True),
        ("from:sim_kopwatch goal", True),
        ("from:@somebody goal", False),
        ("sim_kopwatch", True),
        ("Arsenal OR Liverpool", True),
        ("Arsenal Saka OR Liverpool Szoboszlai", True),
        ("Arsenal (Szoboszlai OR Liverpool)", False),
        ("(Szoboszlai OR (Wirtz Liverpool)", True),
        ("Szoboszlai) Liverpool", True),
        ("goal or", False),
    ],
)
def test_a_query_is_really_evaluated(query: str, found: bool) -> None:
    assert compile_query(query)(POST) is found


@pytest.mark.parametrize("query", ["Vinicius", "VINÍCIUS", "vinicius junior", "Odegaard", "Grosskreutz", "gooool"])
def test_case_and_accents_do_not_matter(query: str) -> None:
    assert compile_query(query)(ACCENTS)


@given(st.text(alphabet='ab ()"-OR:#', max_size=40))
def test_no_query_is_so_odd_that_it_fails(query: str) -> None:
    assert compile_query(query)(POST) in (True, False)


@given(st.lists(st.sampled_from(["Szoboszlai", "Arsenal", "Liverpool", "Wirtz"]), min_size=1, max_size=6))
def test_or_finds_what_any_of_its_words_finds(words: list[str]) -> None:
    assert compile_query(" OR ".join(words))(POST) is any(compile_query(word)(POST) for word in words)
