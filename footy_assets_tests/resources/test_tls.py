"""Which connections are checked with certificates."""

import ssl

import pytest

from resources.tls import verify_for


@pytest.mark.parametrize("url", ["https://one.example/v3", "HTTPS://one.example", "Https://one"])
def test_an_encrypted_connection_is_checked_however_its_scheme_is_written(url: str) -> None:
    checked = verify_for(url)
    assert isinstance(checked, ssl.SSLContext)
    assert checked.verify_mode is ssl.CERT_REQUIRED


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000", "http://https.example", "httpsfoo"])
def test_a_connection_that_is_not_encrypted_needs_no_certificates(url: str) -> None:
    assert verify_for(url) is False
