"""Resources that open something for one execution: when it is open, and for whom."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from dagster import ConfigurableResource, asset, materialize
from dagster_aws.s3 import S3Resource

from resources.run_scoped import RunScoped

LOG: list[str] = []


class InnerResource(RunScoped[str], ConfigurableResource["InnerResource"]):
    name: str = "inner"

    @contextmanager
    def open(self) -> Iterator[str]:
        LOG.append(f"open {self.name}")
        try:
            yield f"{self.name} value"
        finally:
            LOG.append(f"close {self.name}")


class OuterResource(RunScoped[str], ConfigurableResource["OuterResource"]):
    inner: InnerResource

    @contextmanager
    def open(self) -> Iterator[str]:
        LOG.append("open outer")
        yield f"outer with {self.inner.value}"
        LOG.append("close outer")


class OnS3Resource(RunScoped[str], S3Resource):
    @contextmanager
    def open(self) -> Iterator[str]:
        yield f"client of {self.region_name}"


@pytest.fixture(autouse=True)
def empty_log() -> None:
    LOG.clear()


def test_the_value_exists_only_while_dagster_executes() -> None:
    @asset
    def goals(inner: InnerResource) -> None:
        LOG.append(inner.value)

    resource = InnerResource()
    assert materialize([goals], resources={"inner": resource}).success
    assert LOG == ["open inner", "inner value", "close inner"]
    with pytest.raises(RuntimeError, match="InnerResource is open only while Dagster executes"):
        _ = resource.value


def test_it_knows_its_run() -> None:
    @asset
    def goals(outer: OuterResource) -> None:
        LOG.append(f"{outer.run_id} {outer.inner.run_id}")

    resource = OuterResource(inner=InnerResource())
    result = materialize([goals], resources={"outer": resource})
    assert f"{result.run_id} {result.run_id}" in LOG
    assert resource.run_id is None


def test_the_value_is_gone_and_closed_after_a_failure() -> None:
    with (
        pytest.raises(ValueError, match="no goal"),
        InnerResource().process_config_and_initialize_cm() as inner,
    ):
        raise ValueError("no goal")
    assert LOG == ["open inner", "close inner"]
    with pytest.raises(RuntimeError):
        _ = inner.value


def test_nested_resources_are_open_before_the_outer_one() -> None:
    @asset
    def goals(outer: OuterResource) -> None:
        LOG.append(outer.value)

    resource = OuterResource(inner=InnerResource(name="nested"))
    assert materialize([goals], resources={"outer": resource}).success
    assert LOG == [
        "open nested",
        "open outer",
        "outer with nested value",
        "close outer",
        "close nested",
    ]


def test_each_execution_has_a_value_of_its_own() -> None:
    resource = InnerResource()
    with resource.process_config_and_initialize_cm() as one:
        with resource.process_config_and_initialize_cm() as two:
            assert one is not two
        assert one.value == "inner value"
        with pytest.raises(RuntimeError):
            _ = two.value


def test_a_resource_of_dagster_aws_can_be_the_base() -> None:
    with OnS3Resource(region_name="eu-west-1").process_config_and_initialize_cm() as s3:
        assert s3.value == "client of eu-west-1"


def test_the_value_is_no_field_of_the_resource() -> None:
    assert set(InnerResource.model_fields) == {"name"}
    assert set(InnerResource.to_config_schema().as_field().config_type.fields) == {"name"}  # type: ignore[attr-defined]


def test_a_resource_without_open_is_refused() -> None:
    class Unfinished(RunScoped[str], ConfigurableResource["Unfinished"]):
        pass

    with pytest.raises(TypeError, match="abstract method open"):
        Unfinished()
