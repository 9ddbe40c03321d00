"""The S3-compatible object store, limited to operations that every such store supports well: PUT, ranged GET, HEAD,
DELETE, LIST, COPY.

boto3 blocks, so every call runs on the store's own small thread pool.
"""

import asyncio
import base64
import hashlib
import io
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import boto3
import botocore.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError
from botocore.response import StreamingBody

from found_footy.platform.errors import (
    BadInput,
    DiskFailed,
    FoundFootyError,
    NotFound,
    Refused,
    StoreDenied,
    Unavailable,
)
from found_footy.platform.files import write_atomically
from found_footy.platform.object_info import (
    SYSTEM,
    ObjectInfo,
    ObjectStream,
    read_etag,
    read_total_size,
    require_md5,
    require_portable_key,
    require_size,
    to_object_info,
)
from found_footy.platform.settings.addresses import redact_address

if TYPE_CHECKING:
    from types_boto3_s3.client import S3Client

__all__ = ["SYSTEM", "ObjectInfo", "ObjectStore", "ObjectStream"]

_DEFAULT_TIMEOUT = timedelta(seconds=20)
_CONNECT_SECONDS = 5.0
_MAX_THREADS = 16
_CHUNK_BYTES = 256 * 1024
_PAGE_SIZE = 1000
_NO_METADATA: Mapping[str, str] = {}
_ACCESS_DENIED_CODES = {"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "401", "403", "Forbidden"}
_NOT_FOUND_CODES = {"NoSuchKey", "NoSuchBucket", "NotFound", "404"}
_BAD_RANGE_CODES = {"InvalidRange", "416"}
_BAD_INPUT_CODES = {"KeyTooLongError", "EntityTooLarge", "MetadataTooLarge", "InvalidBucketName", "InvalidRequest"}

T = TypeVar("T")


class ObjectStore:
    """One bucket. Raises Unavailable, StoreDenied, NotFound, and BadInput for requests that can never succeed.

    Metadata values may be any text: they are percent-encoded, because headers are ASCII.
    """

    def __init__(
        self,
        endpoint: str,
        access_key: str,
        secret_key: str,
        bucket: str,
        region: str = "us-east-1",
        *,
        timeout: timedelta = _DEFAULT_TIMEOUT,
        attempts: int = 3,
    ) -> None:
        self.endpoint = endpoint
        self.bucket = bucket
        self._s3 = _build_client(endpoint, access_key, secret_key, region, timeout, attempts)
        self._threads = ThreadPoolExecutor(_MAX_THREADS, thread_name_prefix="objects")

    async def aclose(self) -> None:
        """Close the connections. Running calls finish first."""
        await asyncio.to_thread(self._threads.shutdown)
        self._s3.close()

    async def ensure_bucket(self) -> None:
        """Create the bucket if it does not exist."""
        try:
            await self._run_in_thread(lambda: self._s3.head_bucket(Bucket=self.bucket))
        except NotFound:
            await self._run_in_thread(self._create_bucket)

    async def put_file(
        self, key: str, path: Path, *, content_type: str, metadata: Mapping[str, str] = _NO_METADATA
    ) -> ObjectInfo:
        """Store the file under `key`; returns once the store has confirmed size and MD5."""

        def put() -> ObjectInfo:
            with path.open("rb") as file:
                return self._put(key, file, content_type, metadata)

        return await self._run_in_thread(put)

    async def replace_file(self, key: str, path: Path, *, content_type: str) -> str:
        """Store the file under a key that others may write at the same time; returns the ETag of this version."""

        def put() -> str:
            with path.open("rb") as file:
                return self._put_version(key, file, content_type, _NO_METADATA)[0]

        return await self._run_in_thread(put)

    async def put_bytes(
        self, key: str, data: bytes, *, content_type: str, metadata: Mapping[str, str] = _NO_METADATA
    ) -> ObjectInfo:
        """Store `data` under `key`; returns once the store has confirmed size and MD5."""
        return await self._run_in_thread(lambda: self._put(key, io.BytesIO(data), content_type, metadata))

    async def get_bytes(self, key: str, *, limit: int) -> bytes:
        """Read the whole object. Raises if it is larger than `limit` bytes."""

        def get() -> bytes:
            answer = self._s3.get_object(Bucket=self.bucket, Key=key)
            with _closing(answer["Body"]) as body:
                if answer["ContentLength"] > limit:
                    raise Refused(SYSTEM, f"{key} has {answer['ContentLength']} bytes, more than {limit}")
                return body.read()

        return await self._run_in_thread(get, key)

    async def get_file(self, key: str, path: Path) -> ObjectInfo:
        """Write the object to `path`, which is created only when complete."""

        def get() -> ObjectInfo:
            answer = self._s3.get_object(Bucket=self.bucket, Key=key)
            with _closing(answer["Body"]) as body, write_atomically(path) as file:
                for chunk in iter(lambda: body.read(_CHUNK_BYTES), b""):
                    file.write(chunk)
            return to_object_info(key, answer)

        return await self._run_in_thread(get, key)

    async def open(self, key: str, *, start: int = 0, end: int | None = None) -> ObjectStream:
        """Open a range of the object, `end` inclusive. Raises NotFound; BadInput for a range outside of the object."""
        if start < 0 or (end is not None and end < start):
            raise BadInput(f"bytes {start} to {end} of {key} is not a range")
        whole = start == 0 and end is None
        range_header: dict[str, Any] = {} if whole else {"Range": f"bytes={start}-{'' if end is None else end}"}
        answer = await self._run_in_thread(
            lambda: self._s3.get_object(Bucket=self.bucket, Key=key, **range_header), key
        )
        total = read_total_size(answer)
        last = start + answer["ContentLength"] - 1
        body = answer["Body"]
        return ObjectStream(
            to_object_info(key, answer, total), start, last, total, self._read_chunks(key, body), body.close
        )

    async def head(self, key: str) -> ObjectInfo | None:
        """Return the attributes of `key`; None if there is no such object."""
        try:
            return await self._run_in_thread(lambda: self._head(key), key)
        except NotFound:
            return None

    async def delete(self, key: str) -> None:
        """Delete the object; a missing one is no error."""
        await self._run_in_thread(lambda: self._s3.delete_object(Bucket=self.bucket, Key=key), key)

    async def list(self, prefix: str = "") -> AsyncIterator[ObjectInfo]:
        """Yield every object whose key begins with `prefix`, in key order, across pages."""
        more: dict[str, Any] = {}
        while True:
            page = await self._run_in_thread(self._build_page_request(prefix, more), prefix)
            for entry in page.get("Contents", ()):
                yield ObjectInfo(entry["Key"], entry["Size"], read_etag(entry), "", {}, entry["LastModified"])
            if not page.get("IsTruncated"):
                return
            more = {"ContinuationToken": page["NextContinuationToken"]}

    async def copy(
        self, source: str, target: str, *, content_type: str | None = None, metadata: Mapping[str, str] | None = None
    ) -> ObjectInfo:
        """Copy inside the store, without transferring the bytes. What is not given stays as it is."""

        def copy() -> ObjectInfo:
            require_portable_key(target)
            old = self._head(source)
            changed = content_type is not None or metadata is not None
            self._s3.copy_object(
                Bucket=self.bucket,
                Key=target,
                CopySource={"Bucket": self.bucket, "Key": source},
                MetadataDirective="REPLACE" if changed else "COPY",
                **_object_headers(
                    content_type or old.content_type, old.metadata if metadata is None else metadata, changed
                ),
            )
            return require_size(self._head(target), old.size)

        return await self._run_in_thread(copy, source)

    def presign_get(self, key: str, expires: timedelta) -> str:
        """Return a URL at which anyone may read `key` until it expires. Makes no request."""
        seconds = int(expires.total_seconds())
        return self._s3.generate_presigned_url(
            "get_object", Params={"Bucket": self.bucket, "Key": key}, ExpiresIn=seconds
        )

    def presign_put(self, key: str, size: int, expires: timedelta) -> str:
        """Return a URL at which anyone may store `key`, with exactly `size` bytes, until it expires."""
        require_portable_key(key)
        # Signed as a header, the length cannot be another one.
        wanted: Any = {"Bucket": self.bucket, "Key": key, "ContentLength": size}
        return self._s3.generate_presigned_url("put_object", Params=wanted, ExpiresIn=int(expires.total_seconds()))

    def _put(
        self, key: str, file: io.BufferedReader | io.BytesIO, content_type: str, metadata: Mapping[str, str]
    ) -> ObjectInfo:
        _, size = self._put_version(key, file, content_type, metadata)
        return require_size(self._head(key), size)

    def _put_version(
        self, key: str, file: io.BufferedReader | io.BytesIO, content_type: str, metadata: Mapping[str, str]
    ) -> tuple[str, int]:
        """Return the ETag and the size of what was stored."""
        require_portable_key(key)
        digest = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False))
        size = file.seek(0, io.SEEK_END)
        file.seek(0)
        answer = self._s3.put_object(
            Bucket=self.bucket,
            Key=key,
            Body=file,
            ContentLength=size,
            ContentMD5=base64.b64encode(digest.digest()).decode(),
            **_object_headers(content_type, metadata, True),
        )
        require_md5(key, answer, digest.hexdigest())
        return read_etag(answer), size

    def _head(self, key: str) -> ObjectInfo:
        return to_object_info(key, self._s3.head_object(Bucket=self.bucket, Key=key))

    def _build_page_request(self, prefix: str, more: Mapping[str, Any]) -> Callable[[], Mapping[str, Any]]:
        return lambda: self._s3.list_objects_v2(Bucket=self.bucket, Prefix=prefix, MaxKeys=_PAGE_SIZE, **more)

    def _create_bucket(self) -> None:
        try:
            self._s3.create_bucket(Bucket=self.bucket)
        except (self._s3.exceptions.BucketAlreadyOwnedByYou, self._s3.exceptions.BucketAlreadyExists):
            # Another process created it first. This call fails if the bucket belongs to someone else.
            self._s3.head_bucket(Bucket=self.bucket)

    async def _read_chunks(self, key: str, body: StreamingBody) -> AsyncIterator[bytes]:
        try:
            while chunk := await self._run_in_thread(lambda: body.read(_CHUNK_BYTES), key):
                yield chunk
        finally:
            body.close()

    async def _run_in_thread(self, call: Callable[[], T], key: str = "") -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, call)
        except (ClientError, BotoCoreError) as error:
            raise self._to_typed_error(error, key) from error
        except OSError as error:
            raise DiskFailed("disk", str(error)) from error

    def _to_typed_error(self, error: ClientError | BotoCoreError, key: str) -> FoundFootyError:
        place = f"{redact_address(self.endpoint)}/{self.bucket}"
        if isinstance(error, ParamValidationError):
            return BadInput(f"{SYSTEM}: {error}")
        if not isinstance(error, ClientError):
            return Unavailable(SYSTEM, f"{place}: {error}")
        code = error.response.get("Error", {}).get("Code", "")
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        if code in _NOT_FOUND_CODES:
            missing = f"bucket {self.bucket}" if code == "NoSuchBucket" or not key else f"object {key}"
            return NotFound(f"{SYSTEM}: {missing} does not exist")
        if code in _ACCESS_DENIED_CODES:
            return StoreDenied(SYSTEM, f"{place} rejects the access keys ({code})")
        if code in _BAD_RANGE_CODES:
            return BadInput(f"{SYSTEM}: {key} does not have that range")
        if code in _BAD_INPUT_CODES:
            return BadInput(f"{SYSTEM}: {key or self.bucket}: {code}")
        return Unavailable(SYSTEM, f"{place}: {code} (status {status})")


def _build_client(
    endpoint: str, access_key: str, secret_key: str, region: str, timeout: timedelta, attempts: int
) -> "S3Client":
    return _boto_session().client(
        "s3",
        endpoint_url=endpoint,
        aws_access_key_id=access_key,
        aws_secret_access_key=secret_key,
        region_name=region,
        config=Config(
            connect_timeout=min(_CONNECT_SECONDS, timeout.total_seconds()),
            read_timeout=timeout.total_seconds(),
            retries={"total_max_attempts": attempts, "mode": "standard"},
            max_pool_connections=_MAX_THREADS,
            # Compatible stores support neither virtual hosts nor the newer trailing checksums.
            s3={"addressing_style": "path"},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
            signature_version="s3v4",
            proxies={},
        ),
    )


@cache
def _boto_session() -> boto3.session.Session:
    """One session for all stores: each session parses boto3's description of S3, over a megabyte of JSON."""
    # A profile named in this machine's environment belongs to another store.
    session = botocore.session.Session(session_vars={"profile": (None, [], None, None)})
    return boto3.session.Session(botocore_session=session)


def _object_headers(content_type: str, metadata: Mapping[str, str], given: bool) -> dict[str, Any]:
    if not given:
        return {}
    return {"ContentType": content_type, "Metadata": {name: quote(value, safe=" ") for name, value in metadata.items()}}


@contextmanager
def _closing(body: StreamingBody) -> Iterator[StreamingBody]:
    try:
        yield body
    finally:
        body.close()
