"""T17: a subscription as users define it: what it is about, where it goes, and when."""

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from footy_assets.triggers.rules.plain import plain_json
from footy_assets.triggers.rules.quiet_hours import QuietHours
from footy_assets.triggers.rules.snapshot import Name
from footy_assets.triggers.rules.trigger import MAX_PAYLOAD_BYTES, TriggerId

# The clip pipeline: goals that fire a trigger are searched for first (T16).
SEARCHES = "footy:searches"
FILTERS = ("entity", "entity_id", "scope_id", "trigger_id")
# Webhooks of these hosts are channels: they take messages in a form of their own.
NATIVE_HOSTS = frozenset(
    {
        "discord.com",
        "discordapp.com",
        "hooks.slack.com",
        "outlook.office.com",
        "api.telegram.org",
        "chat.googleapis.com",
    }
)

AddressKind = Literal["http", "channel", "searches"]


class SubscriptionRequest(BaseModel):
    """`payload` replaces that of the trigger in what this subscriber gets."""

    model_config = ConfigDict(extra="forbid")

    url: str = Field(min_length=1, max_length=2_000)
    secret: str | None = Field(None, min_length=16, max_length=200)
    entity: Name | None = None
    entity_id: Name | None = None
    scope_id: Name | None = None
    trigger_id: TriggerId | None = None
    payload: dict[str, Any] | None = None
    quiet: QuietHours | None = None

    @field_validator("url")
    @classmethod
    def _has_a_scheme(cls, url: str) -> str:
        url = url.strip()
        if any(not one.isprintable() or one.isspace() for one in url):
            raise ValueError("has no spaces")
        if url != SEARCHES and not url.partition("://")[1]:
            raise ValueError(
                "is an address like https://hooks.example.org/goal or ntfy://ntfy.example/topic"
            )
        return url

    @field_validator("payload")
    @classmethod
    def _not_too_large(cls, payload: dict[str, Any] | None) -> dict[str, Any] | None:
        if payload is not None:
            plain_json(payload)
            if len(json.dumps(payload)) > MAX_PAYLOAD_BYTES:
                raise ValueError(f"a payload has at most {MAX_PAYLOAD_BYTES} bytes")
        return payload

    @model_validator(mode="after")
    def _whole_entity(self) -> "SubscriptionRequest":
        if self.entity_id is not None and self.entity is None:
            raise ValueError("entity: is needed beside entity_id")
        return self

    @property
    def filters(self) -> dict[str, str | None]:
        return self.model_dump(include=set(FILTERS))


def address_kind(url: str) -> AddressKind:
    if url == SEARCHES:
        return "searches"
    return "http" if url.lower().startswith(("http://", "https://")) else "channel"


def is_subscribed(subscription: dict[str, Any], body: dict[str, Any], *, about_goal: bool) -> bool:
    """Whether a notification is for this subscription; the clip pipeline takes goals only."""
    if subscription["url"] == SEARCHES and not about_goal:
        return False
    return all(subscription.get(name) in (None, body[name]) for name in FILTERS)
