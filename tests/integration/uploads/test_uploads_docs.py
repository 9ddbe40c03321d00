"""The commands of docs/uploads.md do what the page says, as they stand there."""

import asyncio
import json
import os
import re
from pathlib import Path

import pytest

from found_footy.web.server import serve_app
from tests.support.patience import PATIENCE_SECONDS
from tests.support.uploads.agent_services import paint, running_uploads_worker
from tests.support.uploads.organization_page import OrganizationPage

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "uploads.md"


def list_commands() -> list[str]:
    return [line for line in GUIDE.read_text(encoding="utf-8").splitlines() if line.startswith("curl ")]


async def run(command: str, folder: Path, env: dict[str, str]) -> str:
    process = await asyncio.create_subprocess_shell(
        command.replace("curl ", "curl -sS --fail ", 1),
        cwd=folder,
        env=env,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(PATIENCE_SECONDS):
        answer, errors = await process.communicate()
    assert process.returncode == 0, (command, errors.decode())
    return answer.decode()


@pytest.mark.skipif(not Path("/usr/bin/curl").exists(), reason="needs curl")
async def test_the_documented_commands_work(organization_page: OrganizationPage, tmp_path: Path) -> None:
    site, commands = organization_page, list_commands()
    assert len(commands) == 5
    (tmp_path / "photo.jpg").write_bytes(paint("red"))
    async with (
        running_uploads_worker(site.services),
        serve_app(site.create_app(), site.deps.settings) as address,
    ):
        env = {"PATH": os.environ["PATH"], "KEY": site.own_key, "UPLOADS": f"{address}{site.path()}"}
        stored = json.loads(await run(commands[0], tmp_path, env))
        await site.services.settled("photo.jpg")
        read = json.loads(await run(commands[1], tmp_path, env))
        listed = json.loads(await run(commands[2], tmp_path, env))
        await run(commands[3], tmp_path, env)
        await run(commands[4], tmp_path, env)
    assert (stored["name"], read["status"], read["label"]) == ("photo.jpg", "classified", "red")
    assert [one["name"] for one in listed["uploads"]] == ["photo.jpg"]
    assert (tmp_path / "preview.jpg").read_bytes().startswith(b"\xff\xd8")
    assert (await site.services.row("photo.jpg")).get("deletedAt") is not None
    assert re.search(r"organizations/acme/uploads", GUIDE.read_text(encoding="utf-8"))
