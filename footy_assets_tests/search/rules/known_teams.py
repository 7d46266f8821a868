"""Teams as the provider and Wikidata know them, for tests of SE3."""

from footy_assets.search.rules.team_facts import TeamFacts, TeamProfile, Text, WikiItem

ENGLAND = {"P17": ("Q145",)}
UNITED_KINGDOM = WikiItem("Q145", "United Kingdom", "country in Europe", ("UK", "Great Britain"))
OLD_TRAFFORD = WikiItem("Q83457", "Old Trafford", "football stadium in Manchester")
ANFIELD = WikiItem("Q45671", "Anfield", "football stadium in Liverpool")
METROPOLITANO = WikiItem("Q2007236", "Metropolitano Stadium", "football stadium in Madrid")
SPAIN = WikiItem(
    "Q29",
    "Spain",
    "country in Europe",
    ("Kingdom of Spain", "ESP"),
    texts={"P1705": (Text("es", "España"),)},
)
BELGIUM = WikiItem(
    "Q31",
    "Belgium",
    "country in Western Europe",
    ("Kingdom of Belgium", "BEL"),
    texts={
        "P1549": (
            Text("es", "belga"),
            Text("fr", "Belge"),
            Text("en", "Belgian"),
            Text("nl", "Belg"),
            Text("ru", "бельгиец"),
        ),
        "P1705": (Text("nl", "België"), Text("fr", "Belgique"), Text("de", "Belgien")),
    },
)

MANCHESTER_UNITED = TeamFacts(
    TeamProfile(33, "Manchester United", "MUN", False, "England", "Manchester", "Old Trafford"),
    WikiItem(
        "Q18656",
        "Manchester United F.C.",
        "association football club in Stretford, Greater Manchester, England",
        (
            "Manchester United",
            "Man United",
            "Man Utd",
            "Man U",
            "MUFC",
            "Red Devils",
            "The Red Devils",
            "Manchester United Football Club",
            "Newton Heath",
            "Newton Heath LYR F.C.",
        ),
        ENGLAND | {"P31": ("Q476028",), "P641": ("Q2736",), "P115": ("Q83457",)},
        {"P1449": (Text("en", "The Red Devils"),), "P1813": (Text("en", "Man Utd"),)},
    ),
    OLD_TRAFFORD,
    UNITED_KINGDOM,
)
LIVERPOOL = TeamFacts(
    TeamProfile(40, "Liverpool", "LIV", False, "England", "Liverpool", "Anfield"),
    WikiItem(
        "Q1130849",
        "Liverpool F.C.",
        "association football club in Liverpool, England",
        ("Liverpool", "LFC", "Liverpool FC", "Liverpool Football Club", "The Reds", "Reds"),
        ENGLAND | {"P31": ("Q476028",), "P641": ("Q2736",), "P115": ("Q45671",)},
        {"P1449": (Text("en", "The Reds"), Text("de", "Die Roten"))},
    ),
    ANFIELD,
    UNITED_KINGDOM,
)
ATLETICO = TeamFacts(
    TeamProfile(530, "Atletico Madrid", "ATM", False, "Spain", "Madrid", "Cívitas Metropolitano"),
    WikiItem(
        "Q8701",
        "Atlético de Madrid",
        "association football club in Madrid, Spain",
        (
            "Atlético Madrid",
            "Atlético",
            "Atleti",
            "Club Atlético de Madrid",
            "Club Atlético de Madrid, S.A.D.",
            "ATM",
            "Colchoneros",
        ),
        {"P17": ("Q29",), "P31": ("Q476028",), "P641": ("Q2736",), "P115": ("Q2007236",)},
        {"P1449": (Text("es", "Los Colchoneros"), Text("es", "Rojiblancos"))},
    ),
    METROPOLITANO,
    SPAIN,
)
BELGIAN_TEAM = TeamFacts(
    TeamProfile(1, "Belgium", "BEL", True, "Belgium", "Brussels", "King Baudouin Stadium"),
    WikiItem(
        "Q166776",
        "Belgium men's national association football team",
        "men's national association football team representing Belgium",
        ("Belgium national football team", "Belgium", "Red Devils", "Diables Rouges"),
        {"P17": ("Q31",), "P31": ("Q135408445",), "P641": ("Q2736",)},
        {"P1449": (Text("en", "Red Devils"), Text("nl", "Rode Duivels"))},
    ),
    None,
    BELGIUM,
)
