"""Clips in an S3 bucket: a thin layer that raises our errors and creates the bucket."""

import string
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlencode, urlsplit

from boto3.exceptions import Boto3Error
from botocore.exceptions import BotoCoreError, ClientError

from footy_assets.errors import NotFound, S3Unavailable

MISSING_CODES = frozenset({"404", "NoSuchKey", "NotFound"})
ALREADY_EXISTS_CODES = frozenset({"BucketAlreadyOwnedByYou", "BucketAlreadyExists"})
DEFAULT_REGION = "us-east-1"
DELETE_BATCH = 1000
CHUNK_BYTES = 256 * 1024
UNQUOTED = "".join(sorted(set(string.printable) - set(string.whitespace) - {"%"})) + " "


@dataclass(frozen=True)
class StoredObject:
    key: str
    size: int
    etag: str
    content_type: str
    metadata: Mapping[str, str]


@dataclass(frozen=True)
class ListedObject:
    key: str
    size: int
    etag: str


class ClipStore:
    def __init__(self, client: Any, bucket: str) -> None:
        self.client = client
        self.bucket = bucket
        self._bucket_exists = False

    @property
    def endpoint(self) -> str:
        """The server's address, without user and password."""
        parts = urlsplit(str(self.client.meta.endpoint_url))
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"

    def server(self) -> str:
        """What the server calls itself, often with its version."""
        with self._our_errors(self.bucket):
            answer = self.client.head_bucket(Bucket=self.bucket)
        return str(answer["ResponseMetadata"]["HTTPHeaders"].get("server", "no name given"))

    def put(
        self,
        key: str,
        body: bytes | Path,
        *,
        content_type: str = "application/octet-stream",
        metadata: Mapping[str, str] | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> None:
        """Store bytes or a file under `key`, replacing what is there. Metadata may be Unicode."""
        extra: dict[str, Any] = {
            "ContentType": content_type,
            "Metadata": _encode(metadata or {}),
            **({"Tagging": urlencode(tags)} if tags else {}),
        }
        with self._our_errors(key):
            self.ensure_bucket()
            if isinstance(body, Path):
                self.client.upload_file(str(body), self.bucket, key, ExtraArgs=extra)
            else:
                self.client.put_object(Bucket=self.bucket, Key=key, Body=body, **extra)

    def get(self, key: str, *, first: int | None = None, last: int | None = None) -> bytes:
        """The object's bytes, or those from `first` to `last`, inclusive."""
        range_ = {} if first is None else {"Range": f"bytes={first}-{'' if last is None else last}"}
        with self._our_errors(key):
            self.ensure_bucket()
            answer = self.client.get_object(Bucket=self.bucket, Key=key, **range_)
            return bytes(answer["Body"].read())

    def open(self, key: str, first: int | None = None, last: int | None = None) -> Iterator[bytes]:
        """The object in chunks, or from `first` to `last`. A missing object raises at once."""
        range_ = {} if first is None else {"Range": f"bytes={first}-{'' if last is None else last}"}
        with self._our_errors(key):
            self.ensure_bucket()
            body = self.client.get_object(Bucket=self.bucket, Key=key, **range_)["Body"]
        return self._chunks(key, body)

    def _chunks(self, key: str, body: Any) -> Iterator[bytes]:
        with self._our_errors(key), body:
            yield from body.iter_chunks(CHUNK_BYTES)

    def head(self, key: str) -> StoredObject | None:
        try:
            with self._our_errors(key):
                self.ensure_bucket()
                found = self.client.head_object(Bucket=self.bucket, Key=key)
        except NotFound:
            return None
        return StoredObject(
            key=key,
            size=int(found["ContentLength"]),
            etag=_etag(found),
            content_type=str(found.get("ContentType", "")),
            metadata=_decode(found.get("Metadata", {})),
        )

    def update_metadata(self, key: str, metadata: Mapping[str, str]) -> bool:
        """Change some of an object's metadata in place; False if there is no such object."""
        found = self.head(key)
        if found is None:
            return False
        with self._our_errors(key):
            self.client.copy_object(
                Bucket=self.bucket,
                Key=key,
                CopySource={"Bucket": self.bucket, "Key": key},
                MetadataDirective="REPLACE",
                ContentType=found.content_type,
                Metadata=_encode({**found.metadata, **metadata}),
            )
        return True

    def exists(self, key: str) -> bool:
        return self.head(key) is not None

    def tags(self, key: str) -> dict[str, str]:
        with self._our_errors(key):
            found = self.client.get_object_tagging(Bucket=self.bucket, Key=key)
        return {tag["Key"]: tag["Value"] for tag in found["TagSet"]}

    def list_keys(self, prefix: str = "") -> list[str]:
        return [one.key for one in self.list_objects(prefix)]

    def list_objects(self, prefix: str = "") -> list[ListedObject]:
        with self._our_errors(prefix or self.bucket):
            self.ensure_bucket()
            pages = self.client.get_paginator("list_objects_v2").paginate(
                Bucket=self.bucket, Prefix=prefix
            )
            return [
                ListedObject(str(item["Key"]), int(item["Size"]), _etag(item))
                for page in pages
                for item in page.get("Contents", [])
            ]

    def delete(self, key: str) -> None:
        """Delete an object; a missing one is no error."""
        with self._our_errors(key):
            self.ensure_bucket()
            self.client.delete_object(Bucket=self.bucket, Key=key)

    def delete_prefix(self, prefix: str) -> int:
        """Delete all objects under `prefix`; returns how many."""
        if not prefix:
            raise ValueError("an empty prefix would delete the whole bucket")
        keys = self.list_keys(prefix)
        for start in range(0, len(keys), DELETE_BATCH):
            batch = [{"Key": key} for key in keys[start : start + DELETE_BATCH]]
            with self._our_errors(prefix):
                answer = self.client.delete_objects(
                    Bucket=self.bucket, Delete={"Objects": batch, "Quiet": True}
                )
            if answer.get("Errors"):
                first = answer["Errors"][0]
                raise S3Unavailable(
                    f"S3 at {self.endpoint} did not delete {first.get('Key')}: {first.get('Code')}"
                )
        return len(keys)

    def ensure_bucket(self) -> None:
        """Create the bucket if it does not exist; concurrent calls all succeed."""
        if self._bucket_exists:
            return
        with self._our_errors(self.bucket):
            if not self._has_bucket():
                self._create_bucket()
        self._bucket_exists = True

    def _has_bucket(self) -> bool:
        try:
            self.client.head_bucket(Bucket=self.bucket)
        except ClientError as error:
            if _code(error) in MISSING_CODES | {"NoSuchBucket"}:
                return False
            raise
        return True

    def _create_bucket(self) -> None:
        region = self.client.meta.region_name
        needs_location = region not in (None, DEFAULT_REGION, "aws-global")
        location = {"LocationConstraint": region}
        options = {"CreateBucketConfiguration": location} if needs_location else {}
        try:
            self.client.create_bucket(Bucket=self.bucket, **options)
        except ClientError as error:
            if _code(error) not in ALREADY_EXISTS_CODES or not self._has_bucket():
                raise

    @contextmanager
    def _our_errors(self, key: str) -> Iterator[None]:
        """Turn boto3's errors about `key` into ours."""
        try:
            yield
        except ClientError as error:
            code = _code(error)
            if code in MISSING_CODES:
                raise NotFound(f"{key} is not in the bucket {self.bucket}") from error
            raise S3Unavailable(f"S3 at {self.endpoint} refuses {key}: {code}") from error
        except (BotoCoreError, Boto3Error) as error:
            reason = " ".join(str(error).split())[:200]
            raise S3Unavailable(f"S3 at {self.endpoint} does not answer: {reason}") from error


def _etag(answer: Mapping[str, Any]) -> str:
    return str(answer["ETag"]).strip('"')


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", "unknown"))


def _encode(metadata: Mapping[str, str]) -> dict[str, str]:
    """S3 metadata is sent in headers: everything beyond ASCII is percent-encoded."""
    return {name: quote(value, safe=UNQUOTED) for name, value in metadata.items()}


def _decode(metadata: Mapping[str, str]) -> dict[str, str]:
    return {name: unquote(value) for name, value in metadata.items()}
