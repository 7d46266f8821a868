"""T18: following teams, players and matches over HTTP, and what an open page is notified of."""

from contextlib import closing
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field, field_validator

from footy_assets.errors import BadInput
from footy_assets.gallery.etags import ETagRoute
from footy_assets.gallery.guard import MayChange
from footy_assets.gallery.problems import CHANGING, Unprocessable
from footy_assets.gallery.services import Services
from footy_assets.triggers.follow import FollowRequest, shown_follow, start_follow, stop_follow
from footy_assets.triggers.messages import Messages
from footy_assets.triggers.rules.plain import plain_text
from footy_assets.triggers.rules.quiet_hours import QuietHours
from footy_assets.triggers.rules.subscription import SEARCHES
from footy_assets.triggers.store.follows import FollowStore
from footy_assets.triggers.store.outbox import Outbox
from footy_assets.triggers.store.recent import recent_activations
from footy_assets.triggers.subscribers import shown_url
from footy_assets.triggers.trigger_http import (
    Id,
    Json,
    JsonBody,
    channels,
    unprocessable_if_invalid,
)

router = APIRouter(prefix="/api/v1", route_class=ETagRoute, tags=["triggers"], responses=CHANGING)

MAX_ASKED = 50
Whose = Annotated[
    list[Annotated[str, Field(min_length=3, max_length=401)]],
    Query(max_length=MAX_ASKED, description="Entities, each as `kind/id`."),
]


class FollowBody(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: Literal["team", "player", "match"]
    target: str = Field(min_length=1, max_length=200, description="An id or a name.")
    url: str | None = Field(None, max_length=2_000)
    channel: str | None = Field(None, max_length=200, description="A subscription to be like.")
    cap: int | None = Field(None, ge=1, le=1_000, description="Messages about one match.")
    quiet: QuietHours | None = None
    payload: dict[str, Any] | None = None

    @field_validator("target", mode="before")
    @classmethod
    def _number_is_an_id(cls, value: Any) -> Any:
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @field_validator("target", "channel")
    @classmethod
    def _plain(cls, value: str | None) -> str | None:
        return plain_text(value) if value else value


@router.get("/follows", summary="What is followed", dependencies=[MayChange])
def follows(services: Services) -> Json:
    found = FollowStore(services.database).all()
    return {"data": [shown_follow(services.database, one) for one in found]}


@router.post("/follows", summary="Follow", status_code=201, dependencies=[MayChange])
def follow(services: Services, body: JsonBody) -> Json:
    """T18: goals, cards, the final whistle and clips, in this and all later matches."""
    with unprocessable_if_invalid():
        wanted = FollowBody.model_validate(body)
        request = FollowRequest(**{name: getattr(wanted, name) for name in FollowBody.model_fields})
        try:
            with closing(channels(services)) as opened:
                made = start_follow(services.database, request, opened, services.clock.now())
        except BadInput as error:
            raise Unprocessable([{"field": "target", "message": error.sentence()}]) from error
    return {"data": shown_follow(services.database, made)}


@router.delete("/follows/{id}", summary="Stop following", status_code=204, dependencies=[MayChange])
def unfollow(services: Services, id: Id) -> None:
    stop_follow(services.database, id, services.clock.now())


@router.get("/channels", summary="Known addresses, masked", dependencies=[MayChange])
def known_channels(services: Services) -> Json:
    """T17: each once, the latest first; a new subscription or follow may name one by its id."""
    by_url: dict[str, Json] = {}
    for one in reversed(Outbox(services.database).subscriptions()):
        if one["url"] != SEARCHES:
            shown = {"id": one["_id"], "url": shown_url(one["url"])}
            by_url.setdefault(one["url"], shown)
    return {"data": list(by_url.values())}


@router.get("/activations/recent", summary="What fired last, in words")
def recent(services: Services, entity: Whose) -> Json:
    """The latest first, of these entities: what an open page shows as it happens."""
    pairs = [(kind, id) for kind, _, id in (one.partition("/") for one in entity) if id]
    messages = Messages(services.database, services.settings.gallery_url)
    found = recent_activations(services.database, pairs)

    return {
        "data": [
            {
                "id": one["_id"],
                "type": "activation",
                "attributes": {
                    "entity": one["entity"],
                    "entity_id": one["entity_id"],
                    "scope_id": one["notification"]["scope_id"],
                    "evaluated_at": one["evaluated_at"],
                    "retracted": (retracted := one["retracted_by"] is not None),
                    "message": messages.describe({**one["notification"], "retracted": retracted})[
                        "message"
                    ],
                },
            }
            for one in found
        ]
    }
