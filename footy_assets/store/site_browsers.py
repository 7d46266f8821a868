"""L6: the figures of a site's browser as of its last search, for the metrics of other processes."""

from collections.abc import Mapping

from pymongo.database import Database

from footy_assets.store.collections import SITE_BROWSERS, Document
from footy_assets.store.retrying import retry_on_disconnect


@retry_on_disconnect
class SiteBrowsers:
    def __init__(self, database: Database[Document]) -> None:
        self._browsers = database[SITE_BROWSERS]

    def record(self, site: str, figures: Mapping[str, float]) -> None:
        self._browsers.replace_one({"_id": site}, dict(figures), upsert=True)

    def all(self) -> dict[str, Mapping[str, float]]:
        return {one.pop("_id"): one for one in self._browsers.find()}
