"""Finds the file of a clip: reads the page of its host."""

from collections.abc import Callable

from footy_assets.errors import DownloadCause, DownloadFailed
from resources.clip_hosts.table import ClipHost

# The content of a URL, within the limits of a download.
GetPage = Callable[[str], str]
MAY_BE_ELSEWHERE = (
    DownloadCause.REMOVED,
    DownloadCause.NO_VIDEO,
    DownloadCause.PRIVATE,
    DownloadCause.GEO_BLOCKED,
    DownloadCause.UNAVAILABLE,
)


def find_files(host: ClipHost, url: str, get_page: GetPage) -> tuple[str, ...]:
    """Where the file of a clip is, the likeliest first. Raises `DownloadFailed`."""
    page = host.page_for(url)
    if page is None:
        return (url,)
    known = host.files_for(url)
    try:
        named = host.read(get_page(page), page)
    except DownloadFailed as failure:
        if known and failure.cause in MAY_BE_ELSEWHERE:
            return known
        raise
    if files := tuple(dict.fromkeys((*named, *known))):
        return files
    raise DownloadFailed(f"the page of {host.name} names no video", DownloadCause.NO_VIDEO)
