"""Keeps other users of the machine from SeaweedFS: only signed requests to S3 are answered.

Its parts talk to each other over ports that are open on loopback. Requests between them over HTTP
carry a token; those over gRPC need a certificate on both sides. Tokens, certificates and their keys
are in the server's folder, which only its owner can read.
"""

import ipaddress
import secrets
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from footy_assets.private_files import write_private
from resources.embedded.ports import LOOPBACK

SETTINGS = "security.toml"
TOKENS = ("jwt.signing", "jwt.signing.read", "jwt.filer_signing", "jwt.filer_signing.read")
GRPC_PARTS = ("master", "volume", "filer", "s3", "admin", "worker", "client")
# Nobody else ever sees these certificates, so nobody has to renew them.
VALID_FROM, VALID_UNTIL = datetime(2020, 1, 1, tzinfo=UTC), datetime(2120, 1, 1, tzinfo=UTC)


def is_secured(folder: Path) -> bool:
    return (folder / SETTINGS).exists()


def secure(folder: Path) -> None:
    """Write the settings that SeaweedFS reads in the folder it starts in; made once."""
    if is_secured(folder):
        return
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority = _certificate("footy authority", authority_key, None, authority_key)
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = _certificate("footy", key, authority.subject, authority_key)
    files = {
        "authority.pem": authority.public_bytes(serialization.Encoding.PEM),
        "certificate.pem": certificate.public_bytes(serialization.Encoding.PEM),
        "certificate.key": key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ),
    }
    for name, content in files.items():
        write_private(folder / name, content.decode())
    write_private(folder / SETTINGS, _settings())


def _settings() -> str:
    """Paths are relative: a copied home works, too."""
    lines = [f'[{name}]\nkey = "{secrets.token_urlsafe(32)}"' for name in TOKENS]
    lines += ["[filer.expose_directory_metadata]\nenabled = false"]
    lines += ['[grpc]\nca = "authority.pem"']
    pair = 'cert = "certificate.pem"\nkey = "certificate.key"'
    lines += [f"[grpc.{part}]\n{pair}" for part in GRPC_PARTS]
    return "\n".join(lines) + "\n"


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: x509.Name | None,
    issuer_key: ec.EllipticCurvePrivateKey,
) -> x509.Certificate:
    """A certificate for loopback, or an authority if it has no issuer."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer or subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(VALID_FROM)
        .not_valid_after(VALID_UNTIL)
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
    )
    if issuer is not None:
        usage = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        address = x509.IPAddress(ipaddress.ip_address(LOOPBACK))
        builder = builder.add_extension(x509.ExtendedKeyUsage(usage), critical=False)
        builder = builder.add_extension(x509.SubjectAlternativeName([address]), critical=False)
    return builder.sign(issuer_key, hashes.SHA256())
