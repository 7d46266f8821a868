"""Dagster's GraphQL API as the UI uses it."""

from typing import Any

import httpx

BACKFILL = """mutation($backfillParams: LaunchBackfillParams!) {
  launchPartitionBackfill(backfillParams: $backfillParams) {
    __typename
    ... on LaunchBackfillSuccess { backfillId }
    ... on PythonError { message }
  }
}"""


def query(ui: str, text: str, **variables: Any) -> Any:
    sent = {"query": text, "variables": variables}
    answer = httpx.post(f"{ui}/graphql", json=sent, timeout=60).raise_for_status().json()
    assert "errors" not in answer, answer
    return answer["data"]


def launch_backfill(ui: str, assets: list[str], partitions: list[str]) -> str:
    """As the button in the UI does; returns the backfill's id."""
    wanted = {
        "assetSelection": [{"path": [name]} for name in assets],
        "partitionNames": partitions,
    }
    launched = query(ui, BACKFILL, backfillParams=wanted)["launchPartitionBackfill"]
    assert "backfillId" in launched, launched
    return str(launched["backfillId"])
