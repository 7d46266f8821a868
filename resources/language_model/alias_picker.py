"""A language model that picks the best aliases from a list."""

import json
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from footy_assets.errors import (
    PickerAnswerInvalid,
    PickerBudgetSpent,
    PickerRefused,
    PickerUnavailable,
)
from footy_assets.search.rules.team_aliases import MOST_PICKED
from footy_assets.search.rules.team_facts import TeamProfile
from resources.language_model.client import ChatClient, Failures

LEASE = "alias_picker"

QUESTION = """\
Fans post videos of goals on social media. Which of these words do they use for the team below? \
Choose only from the list, best first, at most {most}. Leave out words that mean many other things.
Team: {team}
Words: {words}"""


class PickReply(BaseModel):
    """The model's reply; anything else is invalid."""

    model_config = ConfigDict(extra="forbid", strict=True)

    words: list[str] = Field(min_length=1, max_length=MOST_PICKED)


def reply_format(words: Sequence[str]) -> dict[str, Any]:
    """A schema that allows only the given words."""
    return {
        "type": "json_schema",
        "json_schema": {
            "name": "aliases",
            "strict": True,
            "schema": {
                "type": "object",
                "additionalProperties": False,
                "required": ["words"],
                "properties": {
                    "words": {"type": "array", "items": {"type": "string", "enum": list(words)}}
                },
            },
        },
    }


class AliasPickerClient(ChatClient):
    """An `AliasPicker`. Use as a context manager; threads may share it."""

    service = LEASE
    display_name = "the alias model"
    failures = Failures(PickerUnavailable, PickerRefused, PickerAnswerInvalid, PickerBudgetSpent)
    question_tokens = 600
    reply_tokens = 120
    retries = "alias_picker"
    wait_for_a_slot = 20.0

    def pick(self, profile: TeamProfile, words: Sequence[str]) -> tuple[str, ...]:
        team = ", ".join(part for part in (profile.name, profile.city, profile.country) if part)
        question = QUESTION.format(
            most=MOST_PICKED, team=team, words=json.dumps(list(words), ensure_ascii=False)
        )
        return tuple(self.reply(question, PickReply, reply_format(words)).words)
