"""Films are rendered once a session: encoding is most of the time these tests take."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from footy_assets.media import Fingerprint, fingerprint
from footy_assets_tests.media.films import Film, Take, render

Rendered = Callable[..., Path]
Printed = Callable[..., Fingerprint]


@pytest.fixture(scope="session")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    folder = tmp_path_factory.mktemp("films")

    @cache
    def make(seed: int = 1, take: Take | None = None) -> Path:
        number = len(list(folder.iterdir()))
        return render(folder / f"{number}.mp4", Film(seed), take)

    return make


@pytest.fixture(scope="session")
def printed(rendered: Rendered) -> Printed:
    @cache
    def make(seed: int = 1, take: Take | None = None) -> Fingerprint:
        return fingerprint(rendered(seed, take))

    return make
