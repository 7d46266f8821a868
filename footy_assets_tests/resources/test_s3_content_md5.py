"""DeleteObjects carries the digest that servers other than AWS demand."""

import hashlib
from base64 import b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from pydantic import SecretStr

from resources.s3.client import S3Address, connect

DELETED = b'<?xml version="1.0"?><DeleteResult></DeleteResult>'
REFUSED = b"<Error><Code>InvalidRequest</Code><Message>Missing Content-MD5</Message></Error>"


class DemandsContentMd5(BaseHTTPRequestHandler):
    """As OpenStack Swift's S3 API does; the digest must also be signed."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        right = b64encode(hashlib.md5(body).digest()).decode()
        signed = "content-md5" in self.headers["Authorization"]
        accepted = self.headers.get("Content-MD5") == right and signed
        answer = DELETED if accepted else REFUSED
        self.send_response(200 if accepted else 400)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def strict_server() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), DemandsContentMd5)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_objects_are_deleted_on_a_server_that_demands_content_md5(strict_server: str) -> None:
    keys = SecretStr("a-key"), SecretStr("a-secret")
    client = connect(S3Address(strict_server, "us-east-1", *keys), attempts=1)
    try:
        answer = client.delete_objects(Bucket="b", Delete={"Objects": [{"Key": "ü/1"}]})
        assert "Errors" not in answer
    finally:
        client.close()
