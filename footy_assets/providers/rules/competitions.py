"""The competitions that providers name differently: our number, which is API-Football's, and the
name of each at the other providers."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Competition:
    """`slug` is ESPN's name of it, `shortcut` OpenLigaDB's; None if it does not have it."""

    number: int
    slug: str | None
    name: str
    shortcut: str | None = None


COMPETITIONS = (
    Competition(39, "eng.1", "Premier League"),
    Competition(40, "eng.2", "Championship"),
    Competition(41, "eng.3", "League One"),
    Competition(42, "eng.4", "League Two"),
    Competition(45, "eng.fa", "FA Cup"),
    Competition(48, "eng.league_cup", "League Cup"),
    Competition(44, "eng.w.1", "FA WSL"),
    Competition(179, "sco.1", "Scottish Premiership"),
    Competition(140, "esp.1", "La Liga"),
    Competition(141, "esp.2", "Segunda División"),
    Competition(143, "esp.copa_del_rey", "Copa del Rey"),
    Competition(78, "ger.1", "Bundesliga", "bl1"),
    Competition(79, "ger.2", "2. Bundesliga", "bl2"),
    Competition(80, None, "3. Liga", "bl3"),
    Competition(81, "ger.dfb_pokal", "DFB Pokal", "dfb"),
    Competition(135, "ita.1", "Serie A"),
    Competition(136, "ita.2", "Serie B"),
    Competition(137, "ita.coppa_italia", "Coppa Italia"),
    Competition(61, "fra.1", "Ligue 1"),
    Competition(62, "fra.2", "Ligue 2"),
    Competition(66, "fra.coupe_de_france", "Coupe de France"),
    Competition(88, "ned.1", "Eredivisie"),
    Competition(94, "por.1", "Primeira Liga"),
    Competition(144, "bel.1", "Jupiler Pro League"),
    Competition(203, "tur.1", "Süper Lig"),
    Competition(253, "usa.1", "Major League Soccer"),
    Competition(254, "usa.nwsl", "NWSL Women"),
    Competition(262, "mex.1", "Liga MX"),
    Competition(71, "bra.1", "Serie A"),
    Competition(128, "arg.1", "Liga Profesional Argentina"),
    Competition(307, "ksa.1", "Pro League"),
    Competition(98, "jpn.1", "J1 League"),
    Competition(188, "aus.1", "A-League"),
    Competition(2, "uefa.champions", "UEFA Champions League"),
    Competition(3, "uefa.europa", "UEFA Europa League"),
    Competition(848, "uefa.europa.conf", "UEFA Europa Conference League"),
    Competition(4, "uefa.euro", "Euro Championship"),
    Competition(5, "uefa.nations", "UEFA Nations League"),
    Competition(1, "fifa.world", "World Cup"),
    Competition(15, "fifa.cwc", "FIFA Club World Cup"),
    Competition(9, "conmebol.america", "Copa America"),
    Competition(13, "conmebol.libertadores", "CONMEBOL Libertadores"),
    Competition(11, "conmebol.sudamericana", "CONMEBOL Sudamericana"),
)
BY_NUMBER: Mapping[int, Competition] = {one.number: one for one in COMPETITIONS}
BY_SLUG: Mapping[str, Competition] = {one.slug: one for one in COMPETITIONS if one.slug}
BY_SHORTCUT: Mapping[str, Competition] = {one.shortcut: one for one in COMPETITIONS if one.shortcut}
