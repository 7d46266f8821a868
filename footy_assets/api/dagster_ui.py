"""Dagster's own UI: where it shows a goal's asset and runs, and what it knows of the provider."""

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx
from pydantic import BaseModel, ValidationError

from footy_assets.errors import DagsterUnavailable
from footy_assets.matchday.pace import Quota

ANSWER_SECONDS = 2.0
LAUNCH_SECONDS = 20.0
RUN_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
CURSOR_OF_THE_POLL = """{
  sensorOrError(sensorSelector: {
    repositoryName: "__repository__",
    repositoryLocationName: "footy_assets",
    sensorName: "live_poll"
  }) {
    ... on Sensor { sensorState { typeSpecificData { ... on SensorData { lastCursor } } } }
  }
}"""

LAUNCH = """mutation Launch($asked: ExecutionParams!) {
  launchRun(executionParams: $asked) {
    __typename
    ... on LaunchRunSuccess { run { runId } }
    ... on PythonError { message }
    ... on InvalidSubsetError { message }
    ... on PipelineNotFoundError { message }
    ... on UnauthorizedError { message }
    ... on RunConfigValidationInvalid { errors { message } }
  }
}"""
CODE = {"repositoryName": "__repository__", "repositoryLocationName": "footy_assets"}


class _Cursor(BaseModel):
    """What the `live_poll` sensor keeps between its ticks."""

    last: str | None = None
    calls: int = 0
    quota: Quota | None = None


@dataclass(frozen=True, slots=True)
class LastPoll:
    at: str | None
    calls: int
    quota: Quota | None


@dataclass(frozen=True, slots=True)
class DagsterUi:
    url: str | None

    def asset(self, event_id: str) -> str | None:
        return self._at(f"/assets/clips?view=partitions&partition={quote(event_id)}")

    def run(self, run_id: str | None) -> str | None:
        """None where no run of Dagster's stored it, but a command."""
        return self._at(f"/runs/{run_id}") if run_id and RUN_ID.fullmatch(run_id) else None

    def runs(self, goal_key: str) -> str | None:
        return self._at(f"/runs?q[]={quote(f'tag:footy/event={goal_key}')}")

    def matchday(self, day: str) -> str | None:
        return self._at(f"/assets/live_events?view=partitions&partition={quote(day)}")

    def is_up(self) -> bool:
        try:
            return self._get("/server_info").is_success
        except httpx.HTTPError:
            return False

    def last_poll(self) -> LastPoll | None:
        """The provider's quota as the last poll left it; it is kept by the sensor alone."""
        if self.url is None:
            return None
        try:
            answer = httpx.post(
                f"{self.url}/graphql", json={"query": CURSOR_OF_THE_POLL}, timeout=ANSWER_SECONDS
            ).json()
            state = answer["data"]["sensorOrError"]["sensorState"]
            kept = _Cursor.model_validate(json.loads(state["typeSpecificData"]["lastCursor"]))
        except (httpx.HTTPError, ValueError, KeyError, TypeError, ValidationError):
            return None
        return LastPoll(kept.last, kept.calls, kept.quota)

    def launch(self, job: str, config: dict[str, Any], tags: dict[str, str]) -> str:
        """Ask for a run of a job; its id."""
        if self.url is None:
            raise DagsterUnavailable("this needs Dagster, whose address is not known")
        asked = {
            "selector": {**CODE, "jobName": job},
            "runConfigData": config,
            "executionMetadata": {
                "tags": [{"key": name, "value": value} for name, value in tags.items()]
            },
        }
        try:
            answer = httpx.post(
                f"{self.url}/graphql",
                json={"query": LAUNCH, "variables": {"asked": asked}},
                timeout=LAUNCH_SECONDS,
            )
            told = answer.raise_for_status().json()["data"]["launchRun"]
        except httpx.HTTPError as error:
            raise DagsterUnavailable(f"Dagster does not answer at {self.url}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise DagsterUnavailable(f"{self.url} answers, but not as Dagster does") from error
        if told["__typename"] != "LaunchRunSuccess":
            reasons = [one["message"] for one in told.get("errors", ())] or [told.get("message")]
            raise DagsterUnavailable(f"Dagster refuses {job}: {reasons[0] or told['__typename']}")
        return str(told["run"]["runId"])

    def _get(self, path: str) -> httpx.Response:
        return httpx.get(f"{self.url}{path}", timeout=ANSWER_SECONDS)

    def _at(self, path: str) -> str | None:
        return f"{self.url}{path}" if self.url else None
