"""The web application with organizations and their uploads, over servers of the test's own names."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
from fastapi import FastAPI
from pydantic import SecretStr
from temporalio.client import Client

from found_footy.domain.messages import TaskQueues
from found_footy.domain.uploads import object_key
from found_footy.platform.mongo import Database, ensure_indexes
from found_footy.platform.objects import ObjectStore
from found_footy.platform.queue_connection import QueueConnection
from found_footy.uploads.intake import dead_letter_store
from found_footy.uploads.intake.dead_letter_store import DeadLetterStore
from found_footy.uploads.intake.dead_letters import DeadLetters
from found_footy.uploads.intake.publisher import EventPublisher
from found_footy.uploads.organizations import store as organization_store
from found_footy.uploads.organizations.service import OrganizationService
from found_footy.uploads.settings import UploadSettings
from found_footy.views import uploads_store
from found_footy.web.app import create_app
from found_footy.web.deps import WebDeps
from found_footy.web.settings import WebSettings
from found_footy.web.uploads.deps import build_uploads_deps
from tests.support.uploads.agent_services import UploadServices, open_uploads
from tests.support.web.page import report_all_ok

ADMIN_TOKEN = "an operator's own secret"
LOCAL = "127.0.0.1"


@dataclass(frozen=True)
class OrganizationPage:
    """Two organizations, `own_key` and `foreign_key` being their keys."""

    deps: WebDeps
    services: UploadServices
    organizations: OrganizationService
    own_key: str
    foreign_key: str

    @property
    def own(self) -> str:
        """The id of the organization; each test has another, because Temporal is shared."""
        return self.services.organization_id

    @property
    def foreign(self) -> str:
        return f"{self.own}-rival"

    def path(self, name: str = "", organization_id: str = "") -> str:
        """The address of an upload, or of all of them."""
        return f"/api/v1/organizations/{organization_id or self.own}/uploads" + (f"/{name}" if name else "")

    def create_app(self) -> FastAPI:
        return create_app(self.deps)

    def with_settings(self, **changes: Any) -> "OrganizationPage":
        """The same with other settings of the web process."""
        return replace(self, deps=replace(self.deps, settings=self.deps.settings.model_copy(update=changes)))

    @asynccontextmanager
    async def client(self, key: str | None = None, came_from: str = LOCAL) -> AsyncIterator[httpx.AsyncClient]:
        """A client of the application itself, with the organization's key unless another one is given."""
        key = self.own_key if key is None else key
        transport = httpx.ASGITransport(self.create_app(), client=(came_from, 4711))
        headers = {"authorization": f"Bearer {key}"} if key else {}
        async with httpx.AsyncClient(transport=transport, base_url="http://footy.test", headers=headers) as client:
            yield client

    async def store_classified(self, name: str, color: str = "red", **changes: Any) -> None:
        """Store an image and the row that it has after its classification."""
        await self.services.upload(name, color)
        fields = {
            "status": "classified",
            "classificationLabel": color,
            "classificationScore": 0.9,
            "classifications": [{"label": color, "score": 0.9}, {"label": "other", "score": 0.1}],
            "contentType": "image/png",
            "width": 8,
            "height": 8,
            "modelName": "colors",
            "modelSha256": "c" * 64,
        } | changes
        await self.deps.database["uploads"].update_one({"organizationId": self.own, "name": name}, {"$set": fields})

    async def read_object(self, name: str) -> bytes:
        return await self.services.objects.get_bytes(object_key(self.own, name), limit=10**8)


@asynccontextmanager
async def open_organization_page(
    database: Database,
    objects: ObjectStore,
    temporal: Client,
    publisher: EventPublisher | None = None,
    **settings: Any,
) -> AsyncIterator[OrganizationPage]:
    """Without a publisher there is no queue, and the upload route ingests by itself."""
    own = uuid4().hex[:12]
    queues = TaskQueues(f"page-{own}", f"page-media-{own}", f"page-vision-{own}")
    await ensure_indexes(database, (*organization_store.INDEXES, *uploads_store.INDEXES, *dead_letter_store.INDEXES))
    web = WebSettings(
        port=0,
        admin_token=SecretStr(ADMIN_TOKEN),
        heartbeat=timedelta(seconds=1),
        graceful_stop=timedelta(seconds=2),
    )
    async with open_uploads(database, objects, temporal, queues, **settings) as services:
        publisher = publisher or EventPublisher(QueueConnection("nats://127.0.0.1:1"))
        letters = DeadLetters(DeadLetterStore(database), publisher, objects.bucket)
        uploads = build_uploads_deps(
            database, objects, objects, services.agents, publisher, letters, UploadSettings(**settings), web
        )
        deps = WebDeps(database, objects, report_all_ok, "1.2.3", "0123456789ab", settings=web, uploads=uploads)
        page = OrganizationPage(deps, services, uploads.organizations, "", "")
        keys = [await uploads.organizations.add(name) for name in (page.own, page.foreign)]
        yield replace(page, own_key=keys[0], foreign_key=keys[1])
