"""The notice at the start about the football provider that leads."""

from footy_assets.providers.connection import ProvidersFileLoader
from footy_assets.providers.rules.descriptors import API_FOOTBALL
from footy_assets.settings import Settings

NO_KEY = (
    "FOOTY_API_FOOTBALL_KEY is not set: API-Football will refuse all requests. "
    "`footy up --provider espn` needs no key."
)
UNOFFICIAL = {
    "espn": "ESPN leads. Its API is undocumented and unofficial, and may change or refuse us: "
    "see docs/providers.md.",
}


def provider_notice(settings: Settings) -> str | None:
    content = ProvidersFileLoader(settings).load_or_fail()
    if content.lead == API_FOOTBALL:
        return NO_KEY if settings.api_football_key is None else None
    return UNOFFICIAL.get(content.providers[content.lead].adapter)
