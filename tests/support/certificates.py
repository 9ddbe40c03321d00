"""Certificates for servers of tests, made with the openssl program."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE_SECONDS

OPENSSL = shutil.which("openssl")
needs_openssl = pytest.mark.skipif(
    OPENSSL is None, reason="certificates for the test are made with the openssl program"
)


def make_certificate(folder: Path, name: str, *more: str) -> tuple[Path, Path]:
    """Return the key and the certificate of a name, signed by itself unless `more` says otherwise. An authority is
    looked up in the folder.
    """
    key, cert = folder / f"{name}.key", folder / f"{name}.pem"
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    subject = ["-nodes", "-days", "2", "-subj", f"/CN={name}"]
    subprocess.run(
        [str(OPENSSL), "req", "-x509", *curve, *subject, "-keyout", str(key), "-out", str(cert), *more],
        check=True,
        capture_output=True,
        timeout=PATIENCE_SECONDS,
        cwd=folder,
    )
    return key, cert


def make_server_certificate(folder: Path, name: str, *more: str) -> tuple[Path, Path]:
    return make_certificate(folder, name, "-addext", f"subjectAltName=DNS:{name}", *more)
