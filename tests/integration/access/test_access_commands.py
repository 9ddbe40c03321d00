"""Users, keys and the audit log by command, and the link that makes the first admin."""

import asyncio
import json
import re
import subprocess

import pytest

from found_footy.access.levels import AccessLevel, Role
from found_footy.access.settings import AccessSettings
from found_footy.cli.admin_link import print_first_admin_link
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.settings.groups import MongoSettings
from found_footy.settings import Settings
from found_footy.web.settings import WebSettings
from tests.support import command_line
from tests.support.access.accounts import PASSWORD, AccessSite
from tests.support.patience import patient


async def test_the_commands_manage_users_and_keys_and_show_the_audit_log(
    site: AccessSite, platform: PlatformEndpoints
) -> None:
    env = command_line.clean_environment(
        MONGODB_URI=platform.mongodb_uri, MONGODB_DATABASE=site.deps.database.name, COLUMNS="300"
    )

    def run(*arguments: str, typed: str = "") -> str:
        done = subprocess.run(
            command_line.command(*arguments),
            env=env,
            input=typed,
            capture_output=True,
            text=True,
            timeout=patient(300),
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    await asyncio.to_thread(run, "user", "add", "Ada", "--role", "admin", typed=f"{PASSWORD}\n")
    assert (await site.accounts.require_user("ada")).role is Role.ADMIN
    assert await site.accounts.find_by_password("ada", PASSWORD) is not None
    key = (await asyncio.to_thread(run, "key", "add", "ada", "figures", "--scope", "curate")).strip()
    holder = await site.stores.keys.authenticate(key)
    assert holder is not None
    assert (holder.level, holder.key.label) == (AccessLevel.CURATE, "figures")
    rows = json.loads(await asyncio.to_thread(run, "audit", "user:ada", "--json"))
    assert [(row["what"], row["state"]) for row in rows] == [("key-add", "done"), ("user-add", "done")]
    assert PASSWORD not in json.dumps(rows)


async def test_the_first_start_prints_a_link_and_later_ones_do_not(
    site: AccessSite, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(mongo=MongoSettings(), access=AccessSettings(), web=WebSettings())
    await print_first_admin_link(settings, site.deps.database, "http://127.0.0.1:8000")
    printed = re.search(r"http://127\.0\.0\.1:8000(/welcome/[A-Za-z0-9_-]{43})\n", capsys.readouterr().out)
    assert printed is not None
    browser = site.open_browser()
    made = await browser.send(printed[1], name="ada", password=PASSWORD, repeated=PASSWORD)
    assert made.status_code == 303
    assert (await browser.client.get("/users")).status_code == 200
    await print_first_admin_link(settings, site.deps.database, "http://127.0.0.1:8000")
    assert capsys.readouterr().out == ""
