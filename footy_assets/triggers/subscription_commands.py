"""Commands about subscriptions: who is notified, where, and when."""

import sys
from contextlib import closing
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from footy_assets.cli.invocation import invocation_settings
from footy_assets.cli.output import Json, print_json, print_rows
from footy_assets.cli.output import stdout as console
from footy_assets.errors import BadInput, DeliveryFailed
from footy_assets.parsing import decode_text, parse_json
from footy_assets.store.collections import Document
from footy_assets.triggers.operator_commands import one_sentence, open_database
from footy_assets.triggers.rules.quiet_hours import QuietHours
from footy_assets.triggers.rules.subscription import SubscriptionRequest
from footy_assets.triggers.store.outbox import Outbox
from footy_assets.triggers.subscribe import send_test, shown_subscription
from footy_assets.triggers.subscribe import subscribe as make_subscription
from footy_assets.triggers.subscribers import Subscribers, open_channels

MAX_URL_BYTES = 4_000

To = Annotated[
    str,
    typer.Option(
        "--to",
        metavar="URL",
        help="A webhook (https://…) or a channel of Apprise (ntfy://…, tgram://…, mailto://…); "
        "- reads it from stdin, so that no history of commands has its secret.",
    ),
]
Quiet = Annotated[
    str | None, typer.Option(metavar="23:00-07:00", help="Hours without messages; they wait.")
]
Zone = Annotated[str, typer.Option(help="The time zone of the quiet hours.")]
SubscriptionArgument = Annotated[
    str, typer.Argument(metavar="SUBSCRIPTION", help="The id of a subscription.")
]


def subscribe(
    to: To,
    trigger: Annotated[str | None, typer.Option(help="Only this trigger, by its id.")] = None,
    entity: Annotated[str | None, typer.Option(help="Only triggers of this entity.")] = None,
    entity_id: Annotated[str | None, typer.Option("--entity-id", help="With this id.")] = None,
    game: Annotated[str | None, typer.Option(help="Only triggers on this match.")] = None,
    payload: Annotated[
        str | None, typer.Option(metavar="JSON", help="Sent instead of the trigger's payload.")
    ] = None,
    quiet: Quiet = None,
    zone: Zone = "UTC",
    as_json: Json = False,
) -> None:
    """Notify a webhook or a channel of what fires; without filters, of everything."""
    settings = invocation_settings()
    fields: dict[str, Any] = {"trigger_id": trigger, "entity": entity, "entity_id": entity_id}
    fields |= {"scope_id": game, "payload": parsed_payload(payload)}
    with one_sentence():
        request = SubscriptionRequest(
            url=read_address(to), quiet=parse_quiet(quiet, zone), **fields
        )
        private = settings.notify_private_addresses
        with (
            open_database() as database,
            closing(open_channels(private_addresses=private)) as channels,
        ):
            now = settings.make_clock().now()
            made = make_subscription(database, request, channels, now)
    if as_json:
        # The secret signs notifications; it is shown once.
        print_json({"id": made["_id"], **shown_subscription(made), "secret": made["secret"]})
        return
    console().print(f"{made['_id']} subscribed, secret {made['secret']}", markup=False)


def subscriptions(as_json: Json = False) -> None:
    """List subscriptions, without their secrets."""
    with open_database() as database:
        found = Outbox(database).subscriptions()
    shown = [{"id": one["_id"], **shown_subscription(one)} for one in found]
    if as_json:
        print_json(shown)
        return
    rows = [
        {**row, "about": about_text(one), "error": row["last_error"] if row["failures"] else ""}
        for row, one in zip(shown, found, strict=True)
    ]
    columns = {"id": "subscription", "url": "to", "about": "about", "error": "failing"}
    print_rows(rows, columns, "No subscriptions yet.")


def unsubscribe(subscription_id: SubscriptionArgument, as_json: Json = False) -> None:
    """End a subscription; what it has not been sent yet is dropped."""
    now = invocation_settings().make_clock().now()
    with open_database() as database:
        Outbox(database).unsubscribe(subscription_id, now)
    if as_json:
        print_json({"id": subscription_id, "deleted": True})
        return
    console().print(f"{subscription_id} unsubscribed", markup=False)


def send_test_message(subscription_id: SubscriptionArgument, as_json: Json = False) -> None:
    """Send a test message to a subscription now."""
    settings = invocation_settings()
    private = settings.notify_private_addresses
    with (
        open_database() as database,
        closing(open_channels(private_addresses=private)) as channels,
    ):
        subscribers = Subscribers(database, channels, private_addresses=private)
        now = settings.make_clock().now()
        error = send_test(database, subscription_id, subscribers, now)
    if as_json:
        print_json({"id": subscription_id, "delivered": error is None, "error": error})
    if error is not None:
        raise DeliveryFailed(error, "Check the address, then try again")
    if not as_json:
        console().print(f"{subscription_id}: the test message was accepted", markup=False)


# -- reading and formatting -----------------------------------------------------------------


def read_address(given: str) -> str:
    if given != "-":
        return given
    return decode_text(sys.stdin.buffer.read(MAX_URL_BYTES + 1), "stdin", MAX_URL_BYTES).strip()


def parse_quiet(quiet: str | None, zone: str) -> QuietHours | None:
    if quiet is None:
        return None
    try:
        hours = QuietHours.model_validate(quiet)
    except ValidationError as error:
        written = f"--quiet {quiet:.40} is not two times of day"
        raise BadInput(written, "Write them as 23:00-07:00") from error
    return QuietHours(start=hours.start, end=hours.end, zone=zone)


def parsed_payload(text: str | None) -> Any:
    if text is None:
        return None
    try:
        return parse_json(text)
    except ValueError as error:
        raise BadInput(f"--payload is not JSON: {error}") from error


def about_text(one: Document) -> str:
    names = {"trigger_id": "trigger", "entity": "entity", "entity_id": "id", "scope_id": "match"}
    parts = [f"{word} {one[name]}" for name, word in names.items() if one.get(name)]
    return ", ".join(parts) or "everything"
