"""Secrets of the embedded servers: random, generated at the first start, stored in one file that only the owner can
read.
"""

import secrets
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from found_footy.embedded.files import read_json, write_json

CREDENTIALS_FILE = "credentials.json"


def _generate_secret() -> str:
    # Hexadecimal needs no quoting in a URI, a configuration file or a shell.
    return secrets.token_hex(24)


@dataclass(frozen=True, repr=False)
class ServerCredentials:
    mongodb_user: str = "found-footy"
    mongodb_password: str = field(default_factory=_generate_secret)
    mongodb_key: str = field(default_factory=_generate_secret)
    s3_access_key: str = field(default_factory=lambda: secrets.token_hex(10).upper())
    s3_secret_key: str = field(default_factory=_generate_secret)
    seaweedfs_key: str = field(default_factory=_generate_secret)
    search_token: str = field(default_factory=_generate_secret)
    nats_user: str = "found-footy"
    nats_password: str = field(default_factory=_generate_secret)
    notification_secret: str = field(default_factory=_generate_secret)


def load_credentials(data_dir: Path) -> ServerCredentials:
    """Load the stored secrets; missing ones are generated and stored before use."""
    path = data_dir / CREDENTIALS_FILE
    stored = read_json(path)
    known = {item.name for item in fields(ServerCredentials)}
    credentials = ServerCredentials(**{key: value for key, value in stored.items() if key in known})
    if asdict(credentials) != stored:
        write_json(path, asdict(credentials))
    return credentials
