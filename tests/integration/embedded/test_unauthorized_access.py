"""What a web page, opened in a browser of the machine that runs `up`, can do to it: nothing."""

import asyncio
import http.client
import json
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from playwright.async_api import async_playwright
from temporalio.client import WorkflowExecutionStatus

from found_footy.platform.objects import ObjectStore
from found_footy.platform.temporal import client as temporal
from tests.support.embedded.proc import environment_of
from tests.support.embedded.running_up import CHROMIUM, SECRETS, RunningUp, running_up
from tests.support.patience import PATIENCE_SECONDS, eventually

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs a Chromium")

ORIGIN = "http://evil.example"
BUCKET = "footy-videos"
CLIP = b"a clip that somebody would like to see gone"
# What may be read without a word: status pages that change nothing, whatever the method, and that no page may read.
READABLE = {
    "mongodb": None,  # it tells every GET that it does not speak HTTP
    "web": None,
    "worker": None,  # Prometheus figures, by any path
    "worker, chosen by itself": {"/metrics"},  # the Temporal SDK's, read by the worker
    "search": {"/", "/healthz"},
    "temporal-metrics": {"/metrics"},
    "seaweedfs-master": {"/", "/ui/index.html", "/healthz", "/cluster/status"},
    "seaweedfs-volume": {"/status", "/healthz"},
    "seaweedfs-s3": {"/status", "/healthz"},
    "seaweedfs-admin": {"/metrics", "/health"},
}
# They allow a page to ask; what it asks for then needs a signature.
ALLOW_ASKING = {"seaweedfs-s3", "seaweedfs-volume"}
READING = ("GET", "OPTIONS")
# So many of the dangerous paths are also sent a form, which costs a frame each.
FORMS = 6
# Of a workflow, for a server that would start one; ending one takes no more than the path.
ORDER = '{"workflowType": {"name": "StrangersWorkflow"}, "taskQueue": {"name": "nobody"}}'
ENDING = "/terminate"

# Method, type of the body, and under which name the machine is asked: a stranger's name may be made to lead here.
REQUESTS = [
    ("GET", "", None),
    ("OPTIONS", "", None),
    ("DELETE", "", None),
    ("PUT", "text/plain", None),
    ("POST", "text/plain", None),
    ("POST", "application/x-www-form-urlencoded", "evil.example"),
]


@dataclass
class ProtectedData:
    """A clip and a workflow that unauthorized callers must not reach."""

    up: RunningUp
    key: str
    workflow: str

    @property
    def dangerous(self) -> list[str]:
        """Where a single request would do harm, if the server that it reaches took it."""
        workflows = "/api/v1/namespaces/default/workflows"
        return [
            f"/col/delete?collection={BUCKET}",
            f"/buckets/{BUCKET}/{self.key}",
            f"/buckets/{BUCKET}?recursive=true",
            f"/{BUCKET}/{self.key}",
            f"{workflows}/{self.workflow}{ENDING}",
            f"{workflows}/stranger-{self.workflow}",
            "/session",
            "/session/login",
            "/search",
            "/api/v1/goals/5000_40_234_Goal_1/clips",
            "/api/v1/notifications/objects",
        ]

    @property
    def paths(self) -> list[str]:
        return [
            *self.dangerous,
            "/",
            "/metrics",
            "/status",
            "/healthz",
            "/health",
            "/ui/index.html",
            "/debug/pprof/",
            "/session/check",
            "/dir/status",
            "/dir/assign",
            "/cluster/status",
            "/vol/vacuum",
            "/submit",
            f"/vol/grow?count=1&collection={BUCKET}",
            f"/buckets/{BUCKET}/",
            f"/{BUCKET}",
            "/1,01637037d6",
            "/delete?fid=1,01637037d6",
            "/api/v1/namespaces/default/workflows",
            "/shutdown",
            "/quitquitquit",
            f"/namespaces/default/workflows/{self.workflow}/terminate",
        ]

    async def assert_untouched(self) -> None:
        servers = self.up.endpoints
        async with temporal.connect(servers.temporal_address, "default") as client:
            described = await client.get_workflow_handle(self.workflow).describe()
            assert described.status is WorkflowExecutionStatus.RUNNING
            query = 'WorkflowType="StrangersWorkflow"'
            assert [one async for one in client.list_workflows(query)] == []
        async with store_of(self.up) as store:
            assert await store.get_bytes(self.key, limit=1000) == CLIP


@asynccontextmanager
async def store_of(up: RunningUp) -> AsyncIterator[ObjectStore]:
    servers = up.endpoints
    store = ObjectStore(servers.s3_endpoint, servers.s3_access_key, servers.s3_secret_key, BUCKET)
    yield store
    await store.aclose()


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningUp]:
    with running_up(tmp_path_factory.mktemp("strangers")) as up:
        yield up


@pytest.fixture
async def protected(up: RunningUp) -> ProtectedData:
    unique = uuid4().hex
    async with store_of(up) as store:
        await store.put_bytes(f"{unique}.mp4", CLIP, content_type="video/mp4")
    async with temporal.connect(up.endpoints.temporal_address, "default") as client:
        await client.start_workflow("NobodyRunsThis", id=unique, task_queue="nobody")
    return ProtectedData(up, f"{unique}.mp4", unique)


def test_each_program_sees_the_secrets_that_it_uses_and_no_others(up: RunningUp) -> None:
    uses = {
        "worker": {
            "API_FOOTBALL_KEY",
            "LLAMA_API_KEY",
            "BLUESKY_APP_PASSWORD",
            "X_SEARCH_TOKEN",
            "FOOTY_UPLOADS__WORKERS_AI_TOKEN",
        },
        "web": {
            "FOOTY_WEB__ADMIN_TOKEN",
            "BLUESKY_APP_PASSWORD",
            "X_SEARCH_TOKEN",
            "FOOTY_UPLOADS__NOTIFICATION_SECRET",
        },
        "search": {"X_SEARCH_TOKEN"},
        "mongodb": set[str](),
        "temporal": set[str](),
        "seaweedfs": set[str](),
        "nats": set[str](),
    }
    of_the_user = {"worker", "web"}
    for program, used in uses.items():
        allowed = used | ({"AWS_SECRET_ACCESS_KEY"} if program in of_the_user else set())
        for pid in up.pids(program):
            seen = {name for name, secret in SECRETS.items() if secret in environment_of(pid)}
            assert seen <= allowed, f"{program} ({pid})"
        own = environment_of(up.programs[program].pid or 0)
        embedded = up.endpoints
        for secret in (
            embedded.nats_url.split(":")[2].split("@")[0],
            embedded.mongodb_uri,
            embedded.s3_secret_key,
            embedded.mongodb_uri.split(":")[2].split("@")[0],
        ):
            assert secret not in own, program
    reported = environment_of(up.programs["web"].pid or 0).split("\0")
    elsewhere = "API_FOOTBALL_KEY,FOOTY_UPLOADS__WORKERS_AI_TOKEN,LLAMA_API_KEY"
    assert f"FOOTY_KEYS_ELSEWHERE={elsewhere}" in reported, "the page misses no key that the worker has"


@dataclass(frozen=True)
class Answer:
    status: int
    allows: str | None
    body: bytes


def ask(port: int, method: str, path: str, host: str | None, kind: str) -> Answer | None:
    """None from a port that does not speak HTTP."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    headers = {"Origin": ORIGIN, "Connection": "close", **({"Host": host} if host else {})}
    body = (b"{}" if path.endswith(ENDING) else ORDER.encode()) if method in ("POST", "PUT") else None
    try:
        connection.request(method, path, body, {**headers, "Content-Type": kind} if body else headers)
        answer = connection.getresponse()
        return Answer(answer.status, answer.getheader("Access-Control-Allow-Origin"), answer.read(10_000))
    except (http.client.HTTPException, OSError):
        return None
    finally:
        connection.close()


def complaint(name: str, method: str, path: str, answer: Answer) -> str:
    """What is wrong with an answer to a stranger, empty if nothing is."""
    if not 200 <= answer.status < 300:
        return ""
    if answer.allows and answer.body:
        return "may be read by any page"
    if method == "OPTIONS" and name in ALLOW_ASKING:
        return ""
    readable = READABLE.get(name, set())
    if readable is None:
        return "" if method in READING else "was done"
    return "" if path in readable else "was answered"


def test_no_port_obeys_an_unauthorized_caller(up: RunningUp, protected: ProtectedData) -> None:
    ports = up.ports()
    expected = set(READABLE) | {"temporal", "temporal-http", "seaweedfs-filer", "seaweedfs-filer-grpc", "nats"}
    assert expected <= set(ports.values())
    assert "temporal-ui" not in ports.values()
    wrong = []
    for port, name in ports.items():
        if ask(port, "GET", "/", None, "") is None:
            continue
        for method, kind, host in REQUESTS:
            for path in protected.paths:
                answer = ask(port, method, path, host, kind)
                if answer is not None and (reported := complaint(name, method, path, answer)):
                    wrong.append(f"{name}: {method} {path} as {host} {reported} ({answer.status})")
    assert not wrong, "\n".join(wrong)
    asyncio.run(protected.assert_untouched())


PAGE = """<!doctype html><title>A harmless page</title><script>
const order = %(order)s;
const tried = (promise) => promise.catch(() => null);
const soon = () => AbortSignal.timeout(%(patience)d);
async function read(url, found) {
  const answer = await tried(fetch(url, {signal: soon()}));
  if (answer && answer.ok && (await tried(answer.text()))) found.push(url);
}
const picture = (url) => new Promise((done) => {
  const image = new Image();
  image.onload = image.onerror = done;
  setTimeout(done, %(patience)d);
  image.src = url;
});
const socket = (url, found) => new Promise((done) => {
  const socket = new WebSocket(url.replace("http", "ws"));
  socket.onopen = () => { found.push(url); socket.close(); done(); };
  socket.onerror = socket.onclose = done;
  setTimeout(done, %(patience)d);
});
const form = (url, number) => new Promise((done) => {
  const frame = Object.assign(document.createElement("iframe"), {name: "frame" + number});
  const form = Object.assign(document.createElement("form"), {method: "post", action: url, target: frame.name});
  form.enctype = "multipart/form-data";
  const file = Object.assign(document.createElement("input"), {name: "file", value: "mine now"});
  form.append(file);
  document.body.append(frame, form);
  frame.onload = done;
  setTimeout(done, 2000);
  form.submit();
});
const send = (url, method, mode) => tried(fetch(url, {
  method, mode, signal: soon(), headers: {"content-type": "text/plain"},
  body: url.endsWith("/terminate") ? "{}" : order}));
async function attack(ports, paths) {
  const found = {read: [], opened: []};
  let number = 0;
  await Promise.all(ports.map(async (port) => {
    for (const path of paths) {
      const url = "http://127.0.0.1:" + port + path;
      await Promise.all([read(url, found.read), picture(url), send(url, "POST", "no-cors"), send(url, "PUT", "cors"),
                         send(url, "DELETE", "cors")]);
      navigator.sendBeacon(url, "mine now");
    }
    await socket("http://127.0.0.1:" + port + "/", found.opened);
  }));
  const forms = ports.flatMap((port) => paths.slice(0, %(forms)d).map((path) => "http://127.0.0.1:" + port + path));
  await Promise.all(forms.map((url) => form(url, number++)));
  return found;
}
</script><body>"""


@pytest.fixture
async def foreign_page() -> AsyncIterator[str]:
    content = (PAGE % {"patience": 3_000, "forms": FORMS, "order": json.dumps(ORDER)}).encode()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {len(content)}\r\nconnection: close\r\n"
        writer.write(head.encode() + b"\r\n" + content)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"{ORIGIN}:{server.sockets[0].getsockname()[1]}/"


async def test_a_page_of_another_site_reads_and_changes_nothing(
    up: RunningUp, protected: ProtectedData, foreign_page: str
) -> None:
    flags = ["--host-resolver-rules=MAP evil.example 127.0.0.1", "--disable-gpu", "--disable-background-networking"]
    ports = list(up.ports())
    before = await eventually(lambda: session_of(up))
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=flags, chromium_sandbox=os.geteuid() != 0
        )
        page = await browser.new_page()
        page.set_default_timeout(PATIENCE_SECONDS * 1000)
        await page.goto(foreign_page)
        asked = [ports, protected.dangerous]
        found: dict[str, Any] = await page.evaluate("([ports, paths]) => attack(ports, paths)", asked)
        await browser.close()
    assert found == {"read": [], "opened": []}
    await protected.assert_untouched()
    assert session_of(up) == before


def session_of(up: RunningUp) -> str:
    """How the X session is, empty until the service has looked."""
    asked = http.client.HTTPConnection("127.0.0.1", port_of(up, "search"), timeout=PATIENCE_SECONDS)
    asked.request("GET", "/health", headers={"authorization": f"Bearer {SECRETS['X_SEARCH_TOKEN']}"})
    state = str(json.loads(asked.getresponse().read())["session"]["state"])
    asked.close()
    return "" if state == "unknown" else state


def port_of(up: RunningUp, name: str) -> int:
    return next(port for port, known in up.ports().items() if known == name)
