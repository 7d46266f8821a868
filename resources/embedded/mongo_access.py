"""Who may use the embedded MongoDB: one user and a key, made at the first start.

They are in the server's folder, which only its owner can read. The key is how members of a replica
set recognise each other; it also opens the internal user `__system`, which makes our own. So no
moment exists in which a server without users lets everybody on the machine in.
"""

import json
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pymongo import MongoClient

from footy_assets.private_files import write_private

USER = "footy"
ROLE = "root"
KEY_BYTES = 64
MECHANISM = "SCRAM-SHA-256"
OPTIONS = (
    # No user is made, and none is let in, without the key.
    *("--setParameter", "enableLocalhostAuthBypass=0"),
    # The fewest allowed: they slow down guessing a password that a person chose. Ours is random,
    # and every connection would pay for them.
    *("--setParameter", "scramSHA256IterationCount=5000"),
)


@dataclass(frozen=True)
class MongoAccess:
    key_file: Path
    key: str = field(repr=False)
    password: str = field(repr=False)

    @classmethod
    def of(cls, folder: Path) -> "MongoAccess":
        """The key and the password of this folder; made if there are none."""
        key_file, secrets_file = folder / "key", folder / "user.json"
        if not key_file.exists():
            write_private(key_file, secrets.token_hex(KEY_BYTES))
        if not secrets_file.exists():
            write_private(secrets_file, json.dumps({"password": secrets.token_urlsafe(24)}))
        password = str(json.loads(secrets_file.read_text())["password"])
        return cls(key_file, key_file.read_text().strip(), password)

    @property
    def options(self) -> tuple[str, ...]:
        return ("--keyFile", str(self.key_file), *OPTIONS)

    def uri(self, host: str, port: int, replica_set: str) -> str:
        where = f"mongodb://{USER}:{quote(self.password)}@{host}:{port}/"
        options = f"replicaSet={replica_set}&directConnection=true"
        return f"{where}?{options}&authSource=admin&authMechanism={MECHANISM}"

    def as_user(self) -> dict[str, str]:
        return {
            "username": USER,
            "password": self.password,
            "authSource": "admin",
            "authMechanism": MECHANISM,
        }

    def as_member(self) -> dict[str, str]:
        """Credentials of the server itself."""
        return {
            "username": "__system",
            "password": self.key,
            "authSource": "local",
            "authMechanism": MECHANISM,
        }

    def ensure_user(self, client: MongoClient[dict[str, Any]]) -> None:
        """Make our user, or give it the password of this folder."""
        admin = client["admin"]
        command = "updateUser" if admin.command("usersInfo", USER)["users"] else "createUser"
        admin.command(command, USER, pwd=self.password, roles=[ROLE], mechanisms=[MECHANISM])
