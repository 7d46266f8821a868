"""Links into Dagster's UI, and what the web app reads and launches through its GraphQL API."""

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx
from pydantic import SecretStr

from footy_assets.errors import DagsterUnavailable
from footy_assets.matchday.poll_pace import PollPace
from resources.tls import verify_for

TIMEOUT_SECONDS = 2.0
LAUNCH_SECONDS = 20.0
# By the names of metrics.
RUN_STATES = {
    "queued": ("QUEUED",),
    "starting": ("NOT_STARTED", "STARTING"),
    "started": ("STARTED", "CANCELING"),
    "success": ("SUCCESS",),
    "failure": ("FAILURE",),
    "canceled": ("CANCELED",),
}
RUN_COUNTS_QUERY = "{{{}}}".format(
    " ".join(
        f"{name}: runsOrError(filter: {{statuses: [{', '.join(statuses)}]}})"
        " { ... on Runs { count } }"
        for name, statuses in RUN_STATES.items()
    )
)
RUN_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
POLL_CURSOR_QUERY = """{
  sensorOrError(sensorSelector: {
    repositoryName: "__repository__",
    repositoryLocationName: "footy_assets",
    sensorName: "live_poll"
  }) {
    ... on Sensor { sensorState { typeSpecificData { ... on SensorData { lastCursor } } } }
  }
}"""

LAUNCH = """mutation Launch($params: ExecutionParams!) {
  launchRun(executionParams: $params) {
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


@dataclass(frozen=True, slots=True)
class DagsterUi:
    """`url` is where requests go; `public_url`, if there is one, is what links lead to."""

    url: str | None
    public_url: str | None = None
    token: SecretStr | None = field(default=None, repr=False)

    @property
    def link_base(self) -> str | None:
        return self.public_url or self.url

    def asset(self, event_id: str) -> str | None:
        return self._at(f"/assets/clips?view=partitions&partition={quote(event_id)}")

    def run(self, run_id: str | None) -> str | None:
        """None if a command stored the clip instead of a run."""
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

    def last_poll(self) -> PollPace | None:
        """The provider's quota after the last poll, from the cursor of the `live_poll` sensor."""
        if self.url is None:
            return None
        try:
            answer = self._post({"query": POLL_CURSOR_QUERY}, TIMEOUT_SECONDS).json()
            state = answer["data"]["sensorOrError"]["sensorState"]
            cursor = state["typeSpecificData"]["lastCursor"]
            return PollPace.from_cursor(cursor) if cursor else None
        except (httpx.HTTPError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def count_runs(self) -> dict[str, int] | None:
        """The number of runs by state; None if Dagster does not answer."""
        try:
            answer = self._post({"query": RUN_COUNTS_QUERY}, TIMEOUT_SECONDS).raise_for_status()
            found = answer.json()["data"]
            return {state: int(found[state]["count"]) for state in RUN_STATES}
        except (httpx.HTTPError, ValueError, KeyError, TypeError):
            return None

    def launch(self, job: str, config: dict[str, Any], tags: dict[str, str]) -> str:
        """Launches a run of a job and returns its id."""
        if self.url is None:
            raise DagsterUnavailable("the address of Dagster is not known")
        params = {
            "selector": {**CODE, "jobName": job},
            "runConfigData": config,
            "executionMetadata": {
                "tags": [{"key": name, "value": value} for name, value in tags.items()]
            },
        }
        try:
            answer = self._post({"query": LAUNCH, "variables": {"params": params}}, LAUNCH_SECONDS)
            result = answer.raise_for_status().json()["data"]["launchRun"]
        except httpx.HTTPError as error:
            raise DagsterUnavailable(f"Dagster does not answer at {self.url}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise DagsterUnavailable(f"{self.url} is not a Dagster webserver") from error
        if result["__typename"] != "LaunchRunSuccess":
            reasons = [one["message"] for one in result.get("errors", ())] or [
                result.get("message")
            ]
            raise DagsterUnavailable(f"Dagster refuses {job}: {reasons[0] or result['__typename']}")
        return str(result["run"]["runId"])

    def _get(self, path: str) -> httpx.Response:
        url = f"{self.url}{path}"
        return httpx.get(
            url, headers=self._headers, timeout=TIMEOUT_SECONDS, verify=verify_for(url)
        )

    def _post(self, body: dict[str, Any], within: float) -> httpx.Response:
        url = f"{self.url}/graphql"
        return httpx.post(
            url, json=body, headers=self._headers, timeout=within, verify=verify_for(url)
        )

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token.get_secret_value()}"} if self.token else {}

    def _at(self, path: str) -> str | None:
        return f"{self.link_base}{path}" if self.url else None
