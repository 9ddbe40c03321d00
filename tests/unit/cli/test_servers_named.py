"""Servers of one's own, under whichever name they are given: `up` starts none beside them."""

from pathlib import Path

import pytest

from found_footy.platform.errors import ConfigError
from found_footy.settings import read_external_servers


@pytest.mark.parametrize("name", ["MONGODB_URI", "FOOTY_MONGO__URI"])
def test_a_server_is_named_by_either_of_its_variables(name: str) -> None:
    assert read_external_servers({name: "mongodb://db:27017"}) == {"mongodb_uri": "mongodb://db:27017"}


def test_a_server_is_named_in_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "uri"
    secret.write_text("mongodb://me:secret@db:27017\n")
    assert read_external_servers({"MONGODB_URI_FILE": str(secret)}) == {"mongodb_uri": "mongodb://me:secret@db:27017"}


def test_an_object_store_is_named_with_its_keys() -> None:
    with pytest.raises(ConfigError, match="S3_ACCESS_KEY and S3_SECRET_KEY must be set too"):
        read_external_servers({"S3_ENDPOINT": "http://store:9000"})


def test_nothing_named_is_nothing() -> None:
    assert read_external_servers({"MONGODB_URI": " ", "HOME": "/home/me"}) == {}
