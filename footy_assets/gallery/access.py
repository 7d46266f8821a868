"""Who may read and change what the web app serves, by its settings."""

from footy_assets.settings import Settings
from footy_assets.web_server.access import Access


def access_of(settings: Settings) -> Access:
    return Access("FOOTY_API", settings.api_host, settings.api_public_url, settings.api_token)
