"""Y5–Y7, Y11 over HTTP."""

import pytest
from fastapi import Depends, FastAPI, HTTPException
from fastapi.testclient import TestClient

from footy_assets.api.history import history_router
from footy_assets.errors import FootyError, NotFound
from footy_assets.store.collections import AUDIT
from footy_assets_tests.history.conftest import Sourcing

SEASONS = "/api/sourcing/historical/seasons"
ONE = {"league": 39, "season": 2023}


def nobody() -> None:
    raise HTTPException(401)


def client(sourcing: Sourcing, *guards: object) -> TestClient:
    app = FastAPI()
    router = history_router(sourcing.store.database, sourcing.clock, sourcing.work.rules, [*guards])
    app.include_router(router)

    @app.exception_handler(FootyError)
    async def ours(request: object, error: FootyError) -> object:
        from starlette.responses import JSONResponse

        return JSONResponse({"detail": str(error)}, 404 if isinstance(error, NotFound) else 400)

    return TestClient(app)


def test_y7_a_second_start_returns_the_running_one(sourcing: Sourcing) -> None:
    api = client(sourcing)
    first = api.post(SEASONS, json=ONE)
    assert first.status_code == 202
    again = api.post(SEASONS, json=ONE)
    assert again.status_code == 200
    assert again.json() == first.json()
    assert first.json()["state"] == "WaitingForSeason"
    assert [one["key"] for one in api.get(SEASONS).json()] == ["39:2023"]


def test_y6_y11_status_retry_and_backfill(sourcing: Sourcing) -> None:
    api = client(sourcing)
    api.post(SEASONS, json=ONE)
    assert api.post(f"{SEASONS}/39:2023/backfill", json={}).status_code == 400
    sourcing.source()
    told = api.get(f"{SEASONS}/39:2023").json()
    assert told["complete"]
    assert told["tiers"]["team_season"]["processed"] == 20
    assert api.post(f"{SEASONS}/39:2023/retry", json={}).json()["documents_due"] == 0
    days = api.post(f"{SEASONS}/39:2023/backfill", json={"why": "a test"}).json()["matchdays"]
    assert len(days) == 114
    api.post(SEASONS, json=ONE | {"refresh": True})
    assert not api.get(f"{SEASONS}/39:2023").json()["complete"]


def test_y5_advance_is_recorded(sourcing: Sourcing) -> None:
    api = client(sourcing)
    api.post(SEASONS, json=ONE)
    told = api.post(f"{SEASONS}/39:2023/advance", json={"why": "in a hurry"})
    assert told.json()["state"] == "WaitingForVenue"
    entry = sourcing.store.database[AUDIT].find_one({"operation": "advance season"})
    assert entry is not None
    assert (entry["who"], entry["why"]) == ("api", "in a hurry")


@pytest.mark.parametrize("path", ["", "/39:2023/advance", "/39:2023/retry", "/39:2023/backfill"])
def test_whoever_mounts_it_says_who_may_change_things(sourcing: Sourcing, path: str) -> None:
    api = client(sourcing, Depends(nobody))
    assert api.post(SEASONS + path, json=ONE if not path else {}).status_code == 401
    assert api.get(SEASONS).status_code == 200
    assert not sourcing.store.seasons()


@pytest.mark.parametrize("key", ["39", "39:23", "x:2023"])
def test_what_is_no_season_is_refused(sourcing: Sourcing, key: str) -> None:
    assert client(sourcing).get(f"{SEASONS}/{key}").status_code == 422
    assert client(sourcing).get(f"{SEASONS}/39:2011").status_code == 404
