"""`footy follow`: teams, players and matches, across matches and days."""

from collections.abc import Callable
from contextlib import closing
from typing import Annotated, Any

import typer

from footy_assets.cli.invocation import invocation_settings
from footy_assets.cli.output import Json, print_json, print_rows
from footy_assets.cli.output import stdout as console
from footy_assets.triggers.follow import FollowRequest, shown_follow, start_follow, stop_follow
from footy_assets.triggers.operator_commands import one_sentence, open_database
from footy_assets.triggers.rules.follow import FollowKind
from footy_assets.triggers.store.follows import FollowStore
from footy_assets.triggers.subscribers import open_channels
from footy_assets.triggers.subscription_commands import Quiet, Zone, parse_quiet, read_address

app = typer.Typer(
    name="follow", help="Goals, cards, final whistles and clips of a team, player or match."
)

Target = Annotated[str, typer.Argument(metavar="NAME|ID", help="A name, or an id.")]
To = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="URL",
        help="A channel of Apprise (ntfy://…, tgram://…) or a webhook (https://…); - reads it "
        "from stdin. Without one, messages are shown in open pages only.",
    ),
]
Cap = Annotated[
    int | None, typer.Option(min=1, max=1_000, help="At most so many messages about one match.")
]


KINDS: dict[FollowKind, str] = {
    "team": "Follow a team.",
    "player": "Follow a player, also before a match has shown him.",
    "match": "Follow one match.",
}


def follow_command(kind: FollowKind) -> Callable[..., None]:
    def follow(
        name: Target,
        to: To = None,
        cap: Cap = None,
        quiet: Quiet = None,
        zone: Zone = "UTC",
        as_json: Json = False,
    ) -> None:
        settings = invocation_settings()
        private = settings.notify_private_addresses
        with (
            one_sentence(),
            open_database() as database,
            closing(open_channels(private_addresses=private)) as channels,
        ):
            url = read_address(to) if to is not None else None
            hours = parse_quiet(quiet, zone)
            request = FollowRequest(kind, name, url, cap=cap, quiet=hours)
            made = start_follow(database, request, channels, settings.make_clock().now())
            shown = shown_follow(database, made)
        if as_json:
            print_json(shown)
            return
        where = shown["to"] or "open pages only"
        console().print(f"{made.id}: {kind} {made.name} is followed, to {where}", markup=False)

    return follow


for one, meaning in KINDS.items():
    app.command(one, help=meaning)(follow_command(one))


@app.command("list")
def list_follows(as_json: Json = False) -> None:
    """List what is followed, and where its messages go."""
    with open_database() as database:
        shown = [shown_follow(database, one) for one in FollowStore(database).all()]
    if as_json:
        print_json(shown)
        return
    rows = [
        {
            **one,
            "what": f"{one['kind']} {one['name']}",
            "to": one["to"] or "open pages",
            "quiet": quiet_text(one["quiet"]),
            "cap": one["cap"] or "any",
        }
        for one in shown
    ]
    columns = {"id": "follow", "what": "what", "to": "to", "quiet": "quiet", "cap": "at most"}
    print_rows(rows, {**columns, "failing": "failing"}, "Nothing is followed yet.")


@app.command()
def remove(
    follow_id: Annotated[str, typer.Argument(metavar="FOLLOW", help="Its id.")],
    as_json: Json = False,
) -> None:
    """Stop following."""
    now = invocation_settings().make_clock().now()
    with open_database() as database:
        gone = stop_follow(database, follow_id, now)
    if as_json:
        print_json({"id": gone.id, "deleted": True})
        return
    console().print(f"{gone.kind} {gone.name} is not followed any more", markup=False)


def quiet_text(quiet: dict[str, Any] | None) -> str:
    return f"{quiet['start'][:5]}–{quiet['end'][:5]} {quiet['zone']}" if quiet else "never"
