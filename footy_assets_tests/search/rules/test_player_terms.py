import pytest
from hypothesis import given
from hypothesis import strategies as st

from footy_assets.search.rules.player_terms import player_terms
from footy_assets.search.rules.query import GoalQuery


@pytest.mark.parametrize(
    ("name", "terms"),
    [
        ("Mohamed Salah", ("Mohamed", "Salah")),
        ("M. Salah", ("Salah",)),
        ("Kylian Mbappé", ("Kylian", "Mbappe")),
        ("Martin Ødegaard", ("Odegaard", "Martin")),
        ("Pierre-Emerick Aubameyang", ("Aubameyang", "Emerick", "Pierre")),
        ("Virgil van Dijk", ("Virgil", "Dijk")),
        ("Kevin De Bruyne", ("Bruyne", "Kevin")),
        ("Vinícius José Paixão de Oliveira Júnior", ("Vinicius", "Oliveira", "Paixao")),
        ("N'Golo Kanté", ("NGolo", "Kante")),
        ("Ch. Eriksen", ("Eriksen",)),
    ],
)
def test_se4_the_significant_parts_of_a_name_longest_first(
    name: str, terms: tuple[str, ...]
) -> None:
    assert player_terms(name) == terms


@pytest.mark.parametrize(
    ("name", "terms"),
    [
        ("H. Son", ("Son",)),
        ("Heung-Min Son", ("Heung", "Son")),
        ("Son Heung-Min", ("Heung", "Son")),
        ("Kim Min-Jae", ("Kim", "Min", "Jae")),
        ("Lee Kang-In", ("Kang", "Lee")),
        ("Wu Lei", ("Lei", "Wu")),
        ("Ben White", ("White",)),
        ("Dele", ("Dele",)),
        ("Pelé", ("Pele",)),
        ("Jo", ("Jo",)),
    ],
)
def test_se4_short_surnames_still_work(name: str, terms: tuple[str, ...]) -> None:
    assert player_terms(name) == terms


@given(st.text(max_size=40))
def test_se4_any_name_gives_at_most_three_clean_words(name: str) -> None:
    terms = player_terms(name)
    assert len(terms) <= 3
    assert all(term.isalpha() for term in terms)
    assert [len(term) for term in terms] == sorted((len(term) for term in terms), reverse=True)


def test_se4_the_query_for_x() -> None:
    query = GoalQuery(("Mohamed", "Salah"), ("LFC", "Reds", "Liverpool"))
    assert query.for_x() == "(Mohamed OR Salah) (LFC OR Reds OR Liverpool) filter:videos"
    assert GoalQuery((), ("LFC",)).for_x() == "(LFC) filter:videos"
