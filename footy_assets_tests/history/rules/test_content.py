"""Y9: evidence, rows that match the request, and what each content check catches."""

from typing import Any

import pytest

from footy_assets.errors import ProviderAnswerInvalid
from footy_assets.history.rules.content import (
    SeasonContent,
    births_plausible,
    clubs_are_the_leagues,
    figures_agree,
    nobody_listed_twice,
    one_team_at_a_time,
    squads_in_bounds,
    unlike_other_seasons,
)
from footy_assets.history.rules.documents import DocumentRequest, Role, Row
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.parse import parse_rows
from footy_assets.history.rules.tiers import Tier

KEY = LeagueSeason(39, 2023)
PAGE = DocumentRequest(
    Tier.PLAYER_SEASON, 0, "/players", (("team", 40), ("season", 2023), ("page", 1))
)
SEASON = {"start": "2023-08-11", "end": "2024-05-19"}


def entry_of(season: Any = 2023, team: int = 40, league: Any = 39, **games: Any) -> dict[str, Any]:
    """As the provider sends it: null for zero, some numbers as text."""
    return {
        "player": {
            "id": 306,
            "name": "M. Salah",
            "birth": {"date": "1992-06-15", "place": None},
            "height": "175 cm",
            "weight": None,
        },
        "statistics": [
            {
                "team": {"id": team, "name": "Liverpool"},
                "league": {"id": league, "season": season},
                "games": {"appearences": None, "lineups": None, "minutes": None, **games},
                "goals": {"total": None, "assists": None},
                "cards": {"yellow": None, "red": 0},
            }
        ],
    }


def player(id_: int = 1, team: int = 40, minutes: int = 90, **more: Any) -> Row:
    return {
        "team_id": team,
        "player_id": id_,
        "minutes": minutes,
        "lineups": 1,
        "appearances": 1,
        "goals": 0,
        "assists": 0,
        "birth_date": "1995-01-01",
        "evidence": "appearance",
        **more,
    }


def test_y9_a_row_is_bound_to_team_and_season_of_the_request() -> None:
    (row,) = parse_rows(
        PAGE, KEY, [entry_of(minutes=2_500, appearences=32, lineups=28, rating="7.5")]
    )
    assert (row["team_id"], row["player_id"], row["minutes"]) == (40, 306, 2_500)
    assert (row["height_cm"], row["weight_kg"], row["rating"]) == (175, None, 7.5)
    assert row["evidence"] == "appearance"


@pytest.mark.parametrize(
    ("cards", "red"),
    [
        ({"yellow": 2, "yellowred": None, "red": None}, 0),
        ({"yellow": 2, "red": 1}, 1),
        ({"yellow": 0, "yellowred": 1, "red": 0}, 1),
        ({"yellow": 0, "yellowred": 1, "red": 2}, 3),
    ],
)
def test_y9_a_second_yellow_card_is_a_red_one_and_evidence(
    cards: dict[str, int | None], red: int
) -> None:
    entry = entry_of()
    entry["statistics"][0]["cards"] = cards
    (row,) = parse_rows(PAGE, KEY, [entry])
    assert (row["red_cards"], row["evidence"]) == (red, "appearance")


def test_y9_figures_of_other_teams_leagues_and_seasons_do_not_count() -> None:
    entry = entry_of(minutes=900)
    entry["statistics"] += entry_of(team=50, minutes=500)["statistics"]
    entry["statistics"] += entry_of(season=2024, minutes=700)["statistics"]
    entry["statistics"] += entry_of(league=45, minutes=90)["statistics"]
    (row,) = parse_rows(PAGE, KEY, [entry])
    assert row["minutes"] == 900
    assert row["minutes_all_competitions"] == 990


@pytest.mark.parametrize("wrong", [entry_of(season=2025), entry_of(team=41), entry_of(season=None)])
def test_y9_a_response_that_does_not_match_the_request_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ProviderAnswerInvalid, match="no statistics of team 40 in 2023"):
        parse_rows(PAGE, KEY, [wrong])


@pytest.mark.parametrize(
    ("games", "evidence"),
    [
        ({}, "listed"),
        ({"minutes": 0, "lineups": 0}, "listed"),
        ({"minutes": 1}, "appearance"),
        ({"lineups": 1}, "appearance"),
        ({"appearences": 1}, "appearance"),
    ],
)
def test_y9_rows_have_their_evidence(games: dict[str, int], evidence: str) -> None:
    (row,) = parse_rows(PAGE, KEY, [entry_of(**games)])
    assert row["evidence"] == evidence


@pytest.mark.parametrize("nonsense", [[None], [{"player": None}], {"0": 1}, ["x"]])
def test_y6_an_unreadable_response_fails_with_a_reason(nonsense: Any) -> None:
    with pytest.raises(ProviderAnswerInvalid):
        parse_rows(PAGE, KEY, nonsense)


def content(**rows: Any) -> SeasonContent:
    return SeasonContent(**{"seasons": [SEASON], "teams": [{"team_id": 40}], **rows})


def test_y9_squads_too_small_too_large_or_idle_are_caught() -> None:
    assert squads_in_bounds(content()) == [
        "team 40: 0 players",
        "team 40: 0 with evidence that they played",
    ]
    squad = [player(n) for n in range(25)]
    assert not squads_in_bounds(content(player_seasons=squad))
    assert squads_in_bounds(content(player_seasons=[player(n) for n in range(61)]))
    idle = [{**one, "evidence": "listed"} for one in squad]
    assert squads_in_bounds(content(player_seasons=idle))


def test_y9_the_clubs_must_be_those_of_the_matches() -> None:
    match = {"home_id": 40, "away_id": 50}
    found = clubs_are_the_leagues(content(fixtures=[match], team_seasons=[{"team_id": 40}]))
    assert found == ["team 50 played and is not listed"]
    assert clubs_are_the_leagues(content()) == [
        "team 40 is listed and played no match",
        "team 40 has no season",
    ]


@pytest.mark.parametrize(
    ("moves", "believed"),
    [
        ([], False),
        ([("2024-01-12", 40, 50)], True),
        ([("2024-01-12", 50, 40)], True),
        ([("2023-09-01", 40, 99), ("2024-01-12", 99, 50)], True),
        ([("2021-01-12", 40, 50)], False),
        ([("2024-01-12", 40, 99)], False),
    ],
)
def test_y9_a_player_in_two_teams_needs_a_transfer(
    moves: list[tuple[str, int, int]], believed: bool
) -> None:
    transfers = [
        {"player_id": 1, "date": day, "from_id": out, "to_id": into} for day, out, into in moves
    ]
    found = one_team_at_a_time(
        content(player_seasons=[player(1, 40), player(1, 50)], transfers=transfers)
    )
    assert bool(found) is not believed


@pytest.mark.parametrize("day", [None, "", "010897", "0000-00-00"])
def test_y9_a_transfer_without_a_date_is_kept_and_counted(day: str | None) -> None:
    request = DocumentRequest(Tier.PLAYER_SEASON, 0, "/transfers", (("player", 1),), Role.EVIDENCE)
    teams = {"in": {"id": 50, "name": "B"}, "out": {"id": 40, "name": "A"}}
    moves = [{"date": one, "type": "Free", "teams": teams} for one in (day, "2024-01-12")]
    rows = parse_rows(request, KEY, [{"player": {"id": 1}, "transfers": moves}])
    assert [row["date"] for row in rows] == [None, "2024-01-12"]
    played = [player(1, 40), player(1, 50)]
    assert not one_team_at_a_time(content(player_seasons=played, transfers=rows))
    (problem,) = one_team_at_a_time(content(player_seasons=played, transfers=rows[:1]))
    assert problem.endswith("without a transfer (undated: 1)")


def test_y9_a_player_only_listed_elsewhere_needs_no_transfer() -> None:
    rows = [player(1, 40), player(1, 50, evidence="listed")]
    assert not one_team_at_a_time(content(player_seasons=rows))


@pytest.mark.parametrize(
    ("born", "plausible"),
    [("2012-01-01", False), ("2008-01-01", True), ("1970-01-01", False), (None, True)],
)
def test_y9_birth_dates_must_fit_the_season(born: str | None, plausible: bool) -> None:
    found = births_plausible(content(player_seasons=[player(birth_date=born)]))
    assert bool(found) is not plausible


def test_y9_a_player_listed_twice_in_a_team_is_caught() -> None:
    assert nobody_listed_twice(content(player_seasons=[player(), player()]))
    assert not nobody_listed_twice(content(player_seasons=[player(), player(team=50)]))


@pytest.mark.parametrize(
    ("minutes", "goals", "agrees"),
    [
        (9_900, 10, True),
        (9_900, 9, True),
        (9_900, 11, False),
        (9_900, 5, False),
        (5_000, 10, False),
    ],
)
def test_y9_players_figures_add_up_to_their_teams(minutes: int, goals: int, agrees: bool) -> None:
    team = {"team_id": 40, "played": 10, "goals_for": 10}
    rows = [player(1, minutes=minutes, goals=goals)]
    assert bool(figures_agree(content(team_seasons=[team], player_seasons=rows))) is not agrees


def test_y9_a_squad_that_repeats_another_season_is_caught() -> None:
    squad = [player(n, minutes=100 + n) for n in range(20)]
    assert unlike_other_seasons(content(player_seasons=squad, other_seasons=squad))
    others = [{**one, "minutes": one["minutes"] + 1} for one in squad]
    assert not unlike_other_seasons(content(player_seasons=squad, other_seasons=others))
