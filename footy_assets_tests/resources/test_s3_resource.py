from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import pytest
from dagster import asset, materialize
from dagster_aws.s3 import S3Resource
from pydantic import SecretStr

from footy_assets.errors import BadInput, NotFound, S3Unavailable
from footy_assets.settings import Settings, load_settings
from resources.embedded.ports import free_ports
from resources.embedded.weed import S3Server
from resources.s3.client import S3Address, connect
from resources.s3.clip_store import ClipStore
from resources.s3.connection import health, open_s3
from resources.s3.resource import S3ClipsResource

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _only_given_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("FOOTY_S3_ENDPOINT_URL", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def settings(s3: S3Server) -> Settings:
    return load_settings(
        s3_endpoint_url=s3.endpoint_url,
        s3_access_key_id=s3.access_key_id,
        s3_secret_access_key=s3.secret_access_key,
        s3_bucket=f"made-{uuid4().hex}",
    )


def test_bytes_are_read_whole_and_in_ranges(clip_store: ClipStore) -> None:
    clip_store.put("a/clip.mp4", b"0123456789", content_type="video/mp4")
    assert clip_store.get("a/clip.mp4") == b"0123456789"
    assert clip_store.get("a/clip.mp4", first=2, last=4) == b"234"
    assert clip_store.get("a/clip.mp4", first=7) == b"789"


def test_a_file_is_stored_with_its_type_and_unicode_metadata(
    clip_store: ClipStore, tmp_path: Path
) -> None:
    file = tmp_path / "clip.mp4"
    file.write_bytes(b"x" * 9_000_000)
    metadata = {"player": "Martin Ødegaard", "share": "100 % a+b=c"}
    clip_store.put("clip.mp4", file, content_type="video/mp4", metadata=metadata)
    found = clip_store.head("clip.mp4")
    assert found is not None
    assert (found.size, found.content_type) == (9_000_000, "video/mp4")
    assert found.metadata == metadata


def test_a_missing_object_is_distinct_from_a_failure(clip_store: ClipStore) -> None:
    assert clip_store.head("nothing") is None
    assert not clip_store.exists("nothing")
    clip_store.delete("nothing")
    with pytest.raises(NotFound, match="nothing is not in the bucket"):
        clip_store.get("nothing")


def test_a_missing_file_is_not_blamed_on_s3(clip_store: ClipStore, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        clip_store.put("key", tmp_path / "nothing.mp4")


def test_delete_prefix_deletes_exactly_the_keys_under_it(clip_store: ClipStore) -> None:
    keys = [f"event-1/{number:04}" for number in range(1005)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda key: clip_store.put(key, b"clip"), keys))
    clip_store.put("event-10/kept", b"clip")
    assert clip_store.list_keys("event-1/") == keys
    assert clip_store.delete_prefix("event-1/") == 1005
    assert clip_store.list_keys() == ["event-10/kept"]
    assert clip_store.delete_prefix("event-1/") == 0


def test_an_empty_prefix_never_empties_the_bucket(clip_store: ClipStore) -> None:
    with pytest.raises(ValueError, match="empty prefix"):
        clip_store.delete_prefix("")


def test_the_bucket_is_made_on_first_use(settings: Settings) -> None:
    with open_s3(settings) as store:
        assert store.list_keys() == []
        store.put("key", b"clip")
        assert store.list_keys() == ["key"]


def test_two_concurrent_creations_of_the_bucket_both_succeed(settings: Settings) -> None:
    def use(number: int) -> None:
        with open_s3(settings) as store:
            store.put(f"key-{number}", b"clip")

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(use, range(6)))
    with open_s3(settings) as store:
        assert len(store.list_keys()) == 6


def test_the_private_server_is_used_without_an_address_and_keeps_its_data(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path / "home", s3_bucket="clips")
    with open_s3(settings) as store:
        store.put("key", b"clip")
    with open_s3(settings) as store:
        assert store.get("key") == b"clip"


def test_health_does_a_round_trip_and_leaves_nothing(clip_store: ClipStore) -> None:
    found = health(clip_store)
    assert found.ok
    assert clip_store.list_keys() == []


def test_a_server_that_is_not_there_is_named_without_its_secret() -> None:
    [port] = free_ports(1)
    settings = load_settings(
        s3_endpoint_url=f"http://127.0.0.1:{port}",
        s3_access_key_id="key",
        s3_secret_access_key="hunter2",
    )
    with pytest.raises(S3Unavailable) as caught, open_s3(settings) as store:
        store.put("key", b"clip")
    assert f"127.0.0.1:{port}" in caught.value.sentence()
    assert "hunter2" not in caught.value.sentence()
    with open_s3(settings) as store:
        assert not health(store).ok


def test_wrong_keys_are_refused(s3: S3Server) -> None:
    address = S3Address(s3.endpoint_url, "us-east-1", SecretStr("x"), SecretStr("hunter2"))
    store = ClipStore(connect(address), "clips")
    with pytest.raises(S3Unavailable, match="refuses"):
        store.put("key", b"clip")


def test_no_keys_at_all_is_one_clear_sentence(
    s3: S3Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    store = ClipStore(connect(S3Address(s3.endpoint_url, "us-east-1")), "clips")
    with pytest.raises(S3Unavailable, match="credentials"):
        store.put("key", b"clip")


def test_an_address_that_is_none_is_bad_input() -> None:
    with pytest.raises(BadInput, match="FOOTY_S3_ENDPOINT_URL"):
        connect(S3Address("not an address", "us-east-1", SecretStr("id"), SecretStr("key")))


def test_an_asset_writes_through_the_resource(s3: S3Server, clip_store: ClipStore) -> None:
    @asset
    def clips(s3_clips: S3ClipsResource) -> None:
        assert isinstance(s3_clips, S3Resource)
        assert s3_clips.health().ok
        s3_clips.store.put("by-asset", b"clip")
        s3_clips.get_client().head_object(Bucket=s3_clips.store.bucket, Key="by-asset")

    resource = S3ClipsResource(
        endpoint_url=s3.endpoint_url,
        aws_access_key_id=s3.access_key_id,
        aws_secret_access_key=s3.secret_access_key,
        bucket=clip_store.bucket,
    )
    assert materialize([clips], resources={"s3_clips": resource}).success
    assert clip_store.get("by-asset") == b"clip"


def test_the_resource_falls_back_to_the_private_server(tmp_path: Path) -> None:
    resource = S3ClipsResource(home=str(tmp_path / "home"), bucket="clips")
    with resource.process_config_and_initialize_cm() as opened:
        opened.store.put("key", b"clip")
        assert opened.store.get("key") == b"clip"
