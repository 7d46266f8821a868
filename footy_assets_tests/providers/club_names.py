"""What providers call the clubs of the five big leagues, of the seasons 2024-25 to 2026-27.

A line is a club: API-Football | ESPN | football-data.org | OpenLigaDB (Germany only). Further names
that a provider gives beside it follow after a comma; `=` is the name of the column before.
"""

from dataclasses import dataclass

PROVIDERS = ("API-Football", "ESPN", "football-data.org", "OpenLigaDB")


@dataclass(frozen=True, slots=True)
class Club:
    """`names` are by provider: the full name, then the short ones."""

    names: dict[str, tuple[str, ...]]

    @property
    def name(self) -> str:
        return self.names[PROVIDERS[0]][0]


@dataclass(frozen=True, slots=True)
class BigLeague:
    """`named` is, by provider, what it calls the league, and its own id of it."""

    number: int
    country: str
    named: dict[str, tuple[str, str | None]]
    clubs: tuple[Club, ...]


def _clubs(table: str) -> tuple[Club, ...]:
    clubs = []
    for line in table.strip().splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        for index, cell in enumerate(cells):
            if cell.startswith("="):
                cells[index] = cells[index - 1].split(",")[0] + cell[1:]
        names = [tuple(name.strip() for name in cell.split(",")) for cell in cells]
        clubs.append(Club(dict(zip(PROVIDERS, names, strict=False))))
    return tuple(clubs)


ENGLAND = BigLeague(
    39,
    "England",
    {
        "API-Football": ("Premier League", "39"),
        "ESPN": ("English Premier League", "eng.1"),
        "football-data.org": ("Premier League", "PL"),
    },
    _clubs("""
Arsenal | =, Arsenal, ARS | Arsenal FC, Arsenal, ARS
Aston Villa | =, Aston Villa, AVL | Aston Villa FC, Aston Villa, AVL
Bournemouth | AFC Bournemouth, Bournemouth, BOU | AFC Bournemouth, Bournemouth, BOU
Brentford | =, Brentford, BRE | Brentford FC, Brentford, BRE
Brighton | Brighton & Hove Albion, Brighton, BHA | Brighton & Hove Albion FC, Brighton Hove, BHA
Burnley | =, Burnley, BUR | Burnley FC, Burnley, BUR
Chelsea | =, Chelsea, CHE | Chelsea FC, Chelsea, CHE
Coventry | Coventry City, Coventry, COV | Coventry City FC, Coventry City, COV
Crystal Palace | =, C Palace, CRY | Crystal Palace FC, Crystal Palace, CRY
Everton | =, Everton, EVE | Everton FC, Everton, EVE
Fulham | =, Fulham, FUL | Fulham FC, Fulham, FUL
Hull City | =, Hull, HUL | Hull City AFC, Hull City, HUL
Ipswich | Ipswich Town, Ipswich, IPS | Ipswich Town FC, Ipswich Town, IPS
Leeds | Leeds United, Leeds, LEE | Leeds United FC, Leeds United, LEE
Leicester | Leicester City, Leicester, LEI | Leicester City FC, Leicester City, LEI
Liverpool | =, Liverpool, LIV | Liverpool FC, Liverpool, LIV
Luton | Luton Town, Luton, LUT | Luton Town FC, Luton Town, LUT
Manchester City | =, Man City, MNC | Manchester City FC, Man City, MCI
Manchester United | =, Man United, MAN | Manchester United FC, Man United, MUN
Newcastle | Newcastle United, Newcastle, NEW | Newcastle United FC, Newcastle, NEW
Nottingham Forest | =, Nottm Forest, NFO | Nottingham Forest FC, Nottingham, NOT
Sheffield Utd | Sheffield United, Sheff United, SHU | Sheffield United FC, Sheffield Utd, SHE
Southampton | =, Southampton, SOU | Southampton FC, Southampton, SOU
Sunderland | =, Sunderland, SUN | Sunderland AFC, Sunderland, SUN
Tottenham | Tottenham Hotspur, Spurs, TOT | Tottenham Hotspur FC, Tottenham, TOT
West Ham | West Ham United, West Ham, WHU | West Ham United FC, West Ham, WHU
Wolves | Wolverhampton Wanderers, Wolves, WOL | Wolverhampton Wanderers FC, Wolverhampton, WOL
"""),
)
SPAIN = BigLeague(
    140,
    "Spain",
    {
        "API-Football": ("La Liga", "140"),
        "ESPN": ("Spanish LALIGA", "esp.1"),
        "football-data.org": ("Primera Division", "PD"),
    },
    _clubs("""
Alaves | Alavés, Alavés, ALA | Deportivo Alavés, Alavés, ALA
Athletic Club | =, Athletic, ATH | Athletic Club, Athletic, ATH
Atletico Madrid | Atlético Madrid, Atlético, ATM | Club Atlético de Madrid, Atleti, ATL
Barcelona | =, Barcelona, BAR | FC Barcelona, Barça, FCB
Celta Vigo | =, Celta Vigo, CEL | RC Celta de Vigo, Celta, CEL
Elche | =, Elche, ELC | Elche CF, Elche, ELC
Espanyol | =, Espanyol, ESP | RCD Espanyol de Barcelona, Espanyol, ESP
Getafe | =, Getafe, GET | Getafe CF, Getafe, GET
Girona | =, Girona, GIR | Girona FC, Girona, GIR
Las Palmas | =, Las Palmas, LPA | UD Las Palmas, Las Palmas, LPA
Leganes | Leganés, Leganés, LEG | CD Leganés, Leganés, LEG
Levante | =, Levante, LEV | Levante UD, Levante, LEV
Malaga | Málaga, Málaga, MGA | Málaga CF, Málaga, MAL
Mallorca | =, Mallorca, MLL | RCD Mallorca, Mallorca, MAL
Osasuna | =, Osasuna, OSA | CA Osasuna, Osasuna, OSA
Oviedo | Real Oviedo, Real Oviedo, OVI | Real Oviedo, Real Oviedo, OVI
Racing Santander | =, Racing, RAC | Real Racing Club de Santander, Racing, RAC
Rayo Vallecano | =, Rayo Vallecano, RAY | Rayo Vallecano de Madrid, Rayo Vallecano, RAY
Real Betis | =, Real Betis, BET | Real Betis Balompié, Real Betis, BET
Real Madrid | =, Real Madrid, RMA | Real Madrid CF, Real Madrid, RMA
Real Sociedad | =, Real Sociedad, RSO | Real Sociedad de Fútbol, Real Sociedad, RSO
Sevilla | =, Sevilla, SEV | Sevilla FC, Sevilla FC, SEV
Valencia | =, Valencia, VAL | Valencia CF, Valencia, VAL
Valladolid | Real Valladolid, Valladolid, VLD | Real Valladolid CF, Valladolid, VLD
Villarreal | =, Villarreal, VIL | Villarreal CF, Villarreal, VIL
"""),
)
GERMANY = BigLeague(
    78,
    "Germany",
    {
        "API-Football": ("Bundesliga", "78"),
        "ESPN": ("German Bundesliga", "ger.1"),
        "football-data.org": ("Bundesliga", "BL1"),
        "OpenLigaDB": ("1. Fussball-Bundesliga 2025/2026", "bl1"),
    },
    _clubs("""
1. FC Heidenheim | 1. FC Heidenheim 1846, Heidenheim, HDH | =, Heidenheim, HEI | =, Heidenheim
1. FC Köln | FC Cologne, Cologne, KOLN | 1. FC Köln, 1. FC Köln, KOE | =, Köln
1899 Hoffenheim | TSG Hoffenheim, Hoffenheim, TSG | TSG 1899 Hoffenheim, Hoffenheim | =
Bayer Leverkusen | =, Leverkusen, B04 | Bayer 04 Leverkusen, Leverkusen, B04 | =, Leverkusen
Bayern München | Bayern Munich, Bayern, MUN | FC Bayern München, Bayern, FCB | =, Bayern
Borussia Dortmund | =, Dortmund, DOR | Borussia Dortmund, Dortmund, BVB | =, BVB
Borussia Mönchengladbach | =, Gladbach, BMG | =, M'gladbach, BMG | =, Gladbach
Eintracht Frankfurt | =, Frankfurt, SGE | =, Frankfurt, SGE | =, Frankfurt
FC Augsburg | =, Augsburg, AUG | FC Augsburg, Augsburg, FCA | =, Augsburg
FC Schalke 04 | Schalke 04, Schalke | FC Schalke 04, Schalke | =, Schalke
FC St. Pauli | St. Pauli, St. Pauli, PAU | FC St. Pauli 1910, St. Pauli, STP | FC St. Pauli
FSV Mainz 05 | Mainz, Mainz, M05 | 1. FSV Mainz 05, Mainz, M05 | =, Mainz
Hamburger SV | Hamburg SV, Hamburg, HSV | Hamburger SV, HSV, HSV | =, HSV
Hertha Berlin | =, Hertha, BSC | Hertha BSC, Hertha BSC, BSC | =, Hertha
Holstein Kiel | =, Kiel, KIEL | =, Holstein Kiel, KSV | =, Kiel
RB Leipzig | =, Leipzig, RBL | =, RB Leipzig, RBL | =, Leipzig
SC Freiburg | =, Freiburg, SCF | =, Freiburg, SCF | =, Freiburg
SC Paderborn 07 | SC Paderborn, Paderborn, PAD | SC Paderborn 07, Paderborn, SCP | =, Paderborn
SV Elversberg | =, Elversberg, ELV | SV 07 Elversberg, Elversberg, ELV | =, Elversberg
Union Berlin | 1. FC Union Berlin, Union Berlin, FCUB | =, Union Berlin, UNB | =, Union Berlin
VfB Stuttgart | =, Stuttgart, VFB | =, Stuttgart, VFB | =, Stuttgart
VfL BOCHUM | VfL Bochum, Bochum, BOC | VfL Bochum 1848, Bochum, BOC | VfL Bochum, Bochum
VfL Wolfsburg | =, Wolfsburg, WOB | =, Wolfsburg, WOB | =, Wolfsburg
Werder Bremen | =, Werder, BRE | SV Werder Bremen, Bremen, SVW | =, Bremen
"""),
)
ITALY = BigLeague(
    135,
    "Italy",
    {
        "API-Football": ("Serie A", "135"),
        "ESPN": ("Italian Serie A", "ita.1"),
        "football-data.org": ("Serie A", "SA"),
    },
    _clubs("""
AC Milan | =, Milan, MIL | =, Milan, MIL
AS Roma | =, Roma, ROMA | =, Roma, ROM
Atalanta | =, Atalanta, ATA | Atalanta BC, Atalanta, ATA
Bologna | =, Bologna, BOL | Bologna FC 1909, Bologna, BOL
Cagliari | =, Cagliari, CAG | Cagliari Calcio, Cagliari, CAG
Como | =, Como, COM | Como 1907, Como 1907, COM
Cremonese | =, Cremonese, CRE | US Cremonese, Cremonese, CRE
Empoli | =, Empoli, EMP | Empoli FC, Empoli, EMP
Fiorentina | =, Fiorentina, FIO | ACF Fiorentina, Fiorentina, FIO
Frosinone | =, Frosinone, FRO | Frosinone Calcio, Frosinone, FRO
Genoa | =, Genoa, GEN | Genoa CFC, Genoa, GEN
Inter | Internazionale, Inter, INT | FC Internazionale Milano, Inter, INT
Juventus | =, Juventus, JUV | Juventus FC, Juventus, JUV
Lazio | =, Lazio, LAZ | SS Lazio, Lazio, LAZ
Lecce | =, Lecce, LCE | US Lecce, Lecce, USL
Monza | =, Monza, MON | AC Monza, Monza, MON
Napoli | =, Napoli, NAP | SSC Napoli, Napoli, NAP
Parma | =, Parma, PAR | Parma Calcio 1913, Parma, PAR
Pisa | =, Pisa, PIS | AC Pisa 1909, Pisa, PIS
Sassuolo | =, Sassuolo, SAS | US Sassuolo Calcio, Sassuolo, SAS
Torino | =, Torino, TOR | Torino FC, Torino, TOR
Udinese | =, Udinese, UDI | Udinese Calcio, Udinese, UDI
Venezia | =, Venezia, VEN | Venezia FC, Venezia FC, VEN
Verona | Hellas Verona, Verona, VER | Hellas Verona FC, Verona, HVE
"""),
)
FRANCE = BigLeague(
    61,
    "France",
    {
        "API-Football": ("Ligue 1", "61"),
        "ESPN": ("French Ligue 1", "fra.1"),
        "football-data.org": ("Ligue 1", "FL1"),
    },
    _clubs("""
Angers | =, Angers, ANG | Angers SCO, Angers SCO, ANG
Auxerre | AJ Auxerre, Auxerre, AUX | AJ Auxerre, Auxerre, AJA
Estac Troyes | Troyes, Troyes, TRO | ES Troyes AC, Troyes, ETR
LE Havre | Le Havre AC, Le Havre, HAV | Le Havre AC, Le Havre, HAC
Le Mans | =, Le Mans, LEM | Le Mans FC, Le Mans, MAN
Lens | =, Lens, LENS | Racing Club de Lens, RC Lens, RCL
Lille | =, Lille, LILL | Lille OSC, Lille, LIL
Lorient | =, Lorient, LOR | FC Lorient, Lorient, FCL
Lyon | =, Lyon, LYON | Olympique Lyonnais, Olympique Lyon, LYO
Marseille | =, Marseille, MAR | Olympique de Marseille, Marseille, MAR
Metz | =, Metz, METZ | FC Metz, FC Metz, FCM
Monaco | AS Monaco, Monaco, MON | AS Monaco FC, Monaco, ASM
Montpellier | =, Montpellier, MONT | Montpellier HSC, Montpellier, MON
Nantes | =, Nantes, NAN | FC Nantes, Nantes, NAN
Nice | =, Nice, NICE | OGC Nice, Nice, NIC
Paris FC | =, Paris FC, PFC | =, Paris FC, PFC
Paris Saint Germain | Paris Saint-Germain, PSG, PSG | Paris Saint-Germain FC, PSG, PSG
Reims | Stade de Reims, Reims, REI | Stade de Reims, Stade de Reims, SDR
Rennes | Stade Rennais, Rennes, REN | Stade Rennais FC 1901, Stade Rennais, REN
Saint Etienne | Saint-Étienne, St Etienne, STE | AS Saint-Étienne, Saint-Étienne, ASSE
Stade Brestois 29 | Brest, Brest, BRST | Stade Brestois 29, Brest, BRE
Strasbourg | =, Strasbourg, STR | RC Strasbourg Alsace, Strasbourg, RCS
Toulouse | =, Toulouse, TOU | Toulouse FC, Toulouse, TOU
"""),
)
BIG_FIVE = {
    "Premier League": ENGLAND,
    "La Liga": SPAIN,
    "Bundesliga": GERMANY,
    "Serie A": ITALY,
    "Ligue 1": FRANCE,
}
