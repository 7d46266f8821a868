"""A few real teams, so that what is known of them can be found out: `/teams?id` and Wikidata."""

from footy_assets.sim.feed import Json
from footy_assets.sim.wikidata_items import FOOTBALL, FOOTBALL_CLUB, UNITED_KINGDOM, item

NATIONAL_TEAM = "Q135408445"


def _team(
    id: int, name: str, code: str, country: str, venue: str, city: str, national: bool = False
) -> Json:
    return {
        "team": {
            "id": id,
            "name": name,
            "code": code,
            "country": country,
            "founded": None,
            "national": national,
            "logo": f"https://media.api-sports.io/football/teams/{id}.png",
        },
        "venue": {"id": id, "name": venue, "address": None, "city": city, "capacity": None},
    }


TEAMS = {
    team["team"]["id"]: team
    for team in (
        _team(1, "Belgium", "BEL", "Belgium", "King Baudouin Stadium", "Brussels", True),
        _team(33, "Manchester United", "MUN", "England", "Old Trafford", "Manchester"),
        _team(40, "Liverpool", "LIV", "England", "Anfield", "Liverpool"),
        _team(50, "Manchester City", "MAC", "England", "Etihad Stadium", "Manchester"),
        _team(530, "Atletico Madrid", "ATM", "Spain", "Cívitas Metropolitano", "Madrid"),
    )
}

_CLUB = {"P31": [FOOTBALL_CLUB], "P641": [FOOTBALL]}
_ENGLISH = _CLUB | {"P17": [UNITED_KINGDOM]}

ITEMS = (
    item("Q83457", "Old Trafford", "football stadium in Stretford, Greater Manchester, England"),
    item("Q45671", "Anfield", "football stadium in Liverpool, England"),
    item("Q84109", "Maine Road", "former football stadium in Manchester, England"),
    item("Q192863", "City of Manchester Stadium", "stadium in Manchester", ["Etihad Stadium"]),
    item("Q2007236", "Metropolitano Stadium", "football stadium in Madrid, Spain"),
    item("Q24826", "Liverpool", "city in Merseyside, England", links={"P17": [UNITED_KINGDOM]}),
    item("Q18125", "Manchester", "city in Greater Manchester, England"),
    item("Q2807", "Madrid", "capital and largest city of Spain"),
    item(
        "Q18656",
        "Manchester United F.C.",
        "association football club in Stretford, Greater Manchester, England",
        ["Manchester United", "Man United", "Man Utd", "Man U", "MUFC", "Red Devils"],
        _ENGLISH | {"P115": ["Q83457"], "P159": ["Q18125"]},
        {"P1449": [("en", "The Red Devils")]},
    ),
    item(
        "Q19460",
        "Manchester United W.F.C.",
        "women's association football club in Leigh, England",
        ["Manchester United Women"],
        _ENGLISH,
    ),
    item(
        "Q1130849",
        "Liverpool F.C.",
        "association football club in Liverpool, England",
        ["Liverpool", "LFC", "Liverpool FC", "The Reds"],
        _ENGLISH | {"P115": ["Q45671"], "P159": ["Q24826"]},
        {"P1449": [("en", "The Reds"), ("de", "Die Roten")]},
    ),
    item(
        "Q1138356",
        "Liverpool F.C.",
        "association football club in Montevideo, Uruguay",
        ["Liverpool", "Liverpool Fútbol Club", "Negriazules"],
        _CLUB | {"P17": ["Q77"]},
    ),
    item(
        "Q50602",
        "Manchester City F.C.",
        "association football club in Manchester, England",
        ["Manchester City", "Man City", "MCFC", "The Citizens", "Cityzens"],
        _ENGLISH | {"P115": ["Q192863"], "P159": ["Q18125"]},
        {"P1449": [("en", "The Citizens"), ("en", "The Sky Blues")]},
    ),
    item(
        "Q8701",
        "Atlético Madrid",
        "association football club in Madrid, Spain",
        ["Atlético de Madrid", "Club Atlético de Madrid", "Atleti", "ATM", "Atletico Madrid"],
        _CLUB | {"P17": ["Q29"], "P115": ["Q2007236"], "P159": ["Q2807"]},
        {"P1449": [("es", "Los Colchoneros")]},
    ),
    item(
        "Q851",
        "Atlético Madrid B",
        "reserve team of Atlético Madrid",
        ["Atlético Madrileño"],
        _CLUB | {"P17": ["Q29"]},
    ),
    item(
        "Q166776",
        "Belgium men's national association football team",
        "men's national association football team representing Belgium",
        ["Belgium national football team", "Red Devils", "Diables Rouges"],
        {"P17": ["Q31"], "P31": [NATIONAL_TEAM], "P641": [FOOTBALL]},
        {"P1449": [("en", "Red Devils"), ("fr", "Diables Rouges"), ("nl", "Rode Duivels")]},
    ),
    item(
        "Q2353720",
        "Belgium women's national football team",
        "women's national association football team representing Belgium",
        ["Belgium national football team (women)"],
        {"P17": ["Q31"], "P641": [FOOTBALL]},
    ),
)
