"""P4: the retry table matches the spec, and a policy retries as configured."""

import pytest

from footy_assets.retries import RETRIES, RetryPolicy

# The spec's values: attempts, first wait, factor, timeout in seconds. None is not compared.
SPEC: dict[str, tuple[str, int, float | None, float | None, float | None]] = {
    "database reads": ("database", 3, 1.0, 2.0, None),
    "database writes": ("database", 3, 1.0, 2.0, None),
    "provider API": ("provider", 3, 1.0, 2.0, 30.0),
    "search": ("search", 3, 10.0, 1.5, 180.0),
    "download": ("download", 3, 2.0, 2.0, 90.0),
    "validation": ("validation", 4, None, None, 90.0),
    "S3 upload": ("upload", 3, 2.0, 1.5, 60.0),
    "counting an attempt": ("counting", 5, None, None, None),
}


@pytest.mark.parametrize("rule", SPEC)
def test_p4_the_table_matches_the_spec(rule: str) -> None:
    name, *expected = SPEC[rule]
    policy = RETRIES[name]
    real = (policy.attempts, policy.first_wait, policy.factor, policy.timeout)
    assert [r for r, t in zip(real, expected, strict=True) if t is not None] == [
        t for t in expected if t is not None
    ]


class Flaky:
    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.calls = 0

    def __call__(self) -> str:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return "done"


def heals(error: BaseException) -> bool:
    return isinstance(error, OSError)


def test_p4_a_retryable_error_is_retried_after_growing_waits() -> None:
    slept: list[float] = []
    flaky = Flaky(OSError(), OSError())
    assert RetryPolicy(3, 1.0, 2.0).retrying(slept.append, heals)(flaky) == "done"
    assert slept == [1.0, 2.0]


def test_p4_the_last_failure_is_raised() -> None:
    flaky = Flaky(*(OSError(str(n)) for n in range(5)))
    with pytest.raises(OSError, match="2"):
        RetryPolicy(3, 1.0, 2.0).retrying(lambda _: None, heals)(flaky)
    assert flaky.calls == 3


def test_p4_only_retryable_errors_are_retried() -> None:
    flaky = Flaky(ValueError("no"))
    with pytest.raises(ValueError, match="no"):
        RetryPolicy(3, 1.0, 2.0).retrying(lambda _: None, heals)(flaky)
    assert flaky.calls == 1
