"""ESPN's answers: errors by their status, and parsed content."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from footy_assets.errors import ProviderAnswerInvalid, ProviderKnowsNone, ProviderUnavailable
from footy_assets.providers.rules.adapter import FetchResult
from resources.espn.models import EspnScoreboard
from resources.espn.translate import ParsedEvent, parse_events, to_result
from resources.json_parts import NOT_JSON, OTHER_TYPE, used_parts
from resources.pieces import first_problem

NAME = "ESPN"
CHECK_NETWORK = "Check the network and the address; polling continues"
CHECK_SLUG = "Check the slug of the competition; if it is right, the API has changed"
ANSWER_CHANGED = "The API may have changed: use another provider, and report it"
# More are forgotten all at once.
MOST_LAST_BOARDS = 64

Parsed = TypeVar("Parsed", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class _LastBoard:
    """The last answer of a competition and day: its SHA-256, and what it says."""

    digest: bytes
    leagues: bytes
    events: Mapping[bytes, ParsedEvent]
    result: FetchResult


# Of the process: every tick of a sensor opens a client of its own.
_last_boards: dict[tuple[str, str], _LastBoard] = {}


def content_of(response: httpx.Response, path: str) -> bytes:
    status = response.status_code
    if status >= 500:
        raise ProviderUnavailable(f"{NAME} answered {status} to {path}", CHECK_NETWORK)
    if status == httpx.codes.NOT_FOUND:
        raise ProviderKnowsNone(f"{NAME} has no {path} (404)", CHECK_SLUG)
    if status == httpx.codes.BAD_REQUEST:
        raise ProviderAnswerInvalid(f"{NAME} does not accept the request {path} (400)", CHECK_SLUG)
    if status != httpx.codes.OK:
        raise ProviderAnswerInvalid(f"{NAME} answered {status} to {path}", ANSWER_CHANGED)
    return response.content


def parse_answer(model: type[Parsed], content: bytes, path: str) -> Parsed:
    try:
        return model.model_validate(used_parts(model, content))
    except (ValidationError, OTHER_TYPE) as error:
        why = f"{NAME}'s answer to {path} has an unknown format"
        raise ProviderAnswerInvalid(f"{why}: {first_problem(error)}", ANSWER_CHANGED) from error
    except NOT_JSON as error:
        why = f"{NAME}'s answer to {path} is not valid JSON"
        raise ProviderUnavailable(why, CHECK_NETWORK) from error


def parse_board(content: bytes, slug: str, dates: str) -> FetchResult:
    """A scoreboard. F10: what is the same as in the last answer, all of it or single matches, is
    not parsed again."""
    digest = sha256(content).digest()
    last = _last_boards.get((slug, dates))
    if last is not None and last.digest == digest:
        return last.result
    board = parse_answer(EspnScoreboard, content, f"{slug}/scoreboard")
    known = last.events if last is not None and last.leagues == board.leagues else {}
    events = parse_events(board, slug, known)
    result = to_result(events.values())
    if len(_last_boards) >= MOST_LAST_BOARDS:
        _last_boards.clear()
    _last_boards[slug, dates] = _LastBoard(digest, board.leagues, events, result)
    return result
