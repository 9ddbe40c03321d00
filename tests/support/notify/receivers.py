"""Receivers of notifications, each with the wire form of its service: they check what they get, and keep it."""

import base64
import hashlib
import hmac
import json
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.support.loopback_services import served

SECRET = base64.b64encode(b"a secret of the receiver's own").decode()
TOKEN = "123456:telegram-token"
CHAT = "-1001"
_REPLAY_WINDOW_SECONDS = 300


@dataclass
class Receiver:
    """`answers` are given in place of the next ones, in order; `messages` is what was taken, by id."""

    base: str = ""
    answers: list[Response] = field(default_factory=list)
    messages: dict[str, str] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def take(self, call: str, request: Request, body: dict[str, Any]) -> Response | None:
        self.calls.append(call)
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        return self.answers.pop(0) if self.answers else None


@contextmanager
def serve_receiver(receiver: Receiver, routes: list[Route]) -> Iterator[Receiver]:
    with served(Starlette(routes=routes)) as base:
        receiver.base = base
        yield receiver


@contextmanager
def discord_server() -> Iterator[Receiver]:
    receiver = Receiver()

    async def execute(request: Request) -> Response:
        body = await request.json()
        if (answer := receiver.take("POST", request, body)) is not None:
            return answer
        assert request.query_params["wait"] == "true"
        if not body.get("content"):
            return JSONResponse({"message": "Cannot send an empty message", "code": 50006}, 400)
        number = str(len(receiver.messages) + 1)
        receiver.messages[number] = body["content"]
        return JSONResponse({"id": number, "content": body["content"]})

    async def edit(request: Request) -> Response:
        body, number = await request.json(), request.path_params["number"]
        if (answer := receiver.take("PATCH", request, body)) is not None:
            return answer
        if number not in receiver.messages:
            return JSONResponse({"message": "Unknown Message", "code": 10008}, 404)
        receiver.messages[number] = body["content"]
        return JSONResponse({"id": number})

    routes = [
        Route("/api/webhooks/1/discordtoken", execute, methods=["POST"]),
        Route("/api/webhooks/1/discordtoken/messages/{number}", edit, methods=["PATCH"]),
    ]
    with serve_receiver(receiver, routes) as running:
        yield running


@contextmanager
def telegram_server() -> Iterator[Receiver]:
    receiver = Receiver()

    def refuse(text: str, status: int = 400) -> Response:
        return JSONResponse({"ok": False, "error_code": status, "description": text}, status)

    async def call(request: Request) -> Response:
        body, method = await request.json(), request.path_params["method"]
        if (answer := receiver.take(method, request, body)) is not None:
            return answer
        if body.get("chat_id") != CHAT:
            return refuse("Bad Request: chat not found")
        number = str(body.get("message_id") or len(receiver.messages) + 1)
        if method == "editMessageText" and number not in receiver.messages:
            return refuse("Bad Request: message to edit not found")
        if receiver.messages.get(number) == body["text"]:
            return refuse("Bad Request: message is not modified")
        receiver.messages[number] = body["text"]
        return JSONResponse({"ok": True, "result": {"message_id": int(number)}})

    with serve_receiver(receiver, [Route(f"/bot{TOKEN}/{{method}}", call, methods=["POST"])]) as running:
        yield running


@contextmanager
def webhook_server() -> Iterator[Receiver]:
    """Verifies signature and time, and keeps one message per id."""
    receiver = Receiver()

    async def take(request: Request) -> Response:
        raw = await request.body()
        if (answer := receiver.take("POST", request, json.loads(raw))) is not None:
            return answer
        name, at = request.headers["webhook-id"], request.headers["webhook-timestamp"]
        digest = hmac.new(base64.b64decode(SECRET), f"{name}.{at}.".encode() + raw, hashlib.sha256).digest()
        given = request.headers["webhook-signature"].removeprefix("v1,")
        if not hmac.compare_digest(base64.b64encode(digest).decode(), given):
            return JSONResponse({"error": "wrong signature"}, 401)
        if abs(time.time() - int(at)) > _REPLAY_WINDOW_SECONDS:
            return JSONResponse({"error": "too old"}, 401)
        receiver.messages[name] = json.loads(raw)["title"]
        return Response(status_code=204)

    with serve_receiver(receiver, [Route("/hooks/pathsecret", take, methods=["POST"])]) as running:
        yield running


@dataclass(frozen=True)
class BrowserKeys:
    """The keys of a subscription, as a browser makes them."""

    private: ec.EllipticCurvePrivateKey
    auth: bytes = b"0123456789abcdef"

    @property
    def public(self) -> bytes:
        return self.private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    def decrypt(self, content: bytes) -> bytes:
        salt, (record, size) = content[:16], struct.unpack("!IB", content[16:21])
        sender, cipher = content[21 : 21 + size], content[21 + size :]
        assert len(content) <= record
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender)
        shared = self.private.exchange(ec.ECDH(), key)
        material = _derive(self.auth, shared, b"WebPush: info\0" + self.public + sender, 32)
        nonce = _derive(salt, material, b"Content-Encoding: nonce\0", 12)
        secret = _derive(salt, material, b"Content-Encoding: aes128gcm\0", 16)
        plain = AESGCM(secret).decrypt(nonce, cipher, None)
        assert plain.endswith(b"\x02")
        return plain[:-1]


def _derive(salt: bytes, secret: bytes, info: bytes, length: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=length, salt=salt, info=info).derive(secret)


@contextmanager
def push_server(browser: BrowserKeys) -> Iterator[Receiver]:
    """Verifies the sender's token and decrypts for the browser, which shows one notification per tag."""
    receiver = Receiver()

    async def take(request: Request) -> Response:
        content = await request.body()
        if (answer := receiver.take("POST", request, {})) is not None:
            return answer
        claims = verify_vapid(request.headers["authorization"])
        if claims["aud"] != receiver.base or claims["exp"] < time.time():
            return Response(status_code=403)
        assert int(request.headers["ttl"]) > 0
        assert len(request.headers["topic"]) <= 32
        shown = json.loads(browser.decrypt(content))
        receiver.bodies[-1] = shown
        receiver.messages[shown["tag"]] = f"{shown['title']}\n{shown['body']}"
        return Response(status_code=201)

    with serve_receiver(receiver, [Route("/push/subscription-secret", take, methods=["POST"])]) as running:
        yield running


def verify_vapid(header: str) -> dict[str, Any]:
    parts = dict(part.split("=", 1) for part in header.removeprefix("vapid ").split(", "))
    head, claims, signature = parts["t"].split(".")
    numbers = decode(signature)
    der = encode_dss_signature(int.from_bytes(numbers[:32], "big"), int.from_bytes(numbers[32:], "big"))
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode(parts["k"]))
    key.verify(der, f"{head}.{claims}".encode(), ec.ECDSA(SHA256()))
    found: dict[str, Any] = json.loads(decode(claims))
    return found


def decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@contextmanager
def apprise_server() -> Iterator[Receiver]:
    """What Apprise's `json://` posts to."""
    receiver = Receiver()

    async def take(request: Request) -> Response:
        body = await request.json()
        if (answer := receiver.take("POST", request, body)) is not None:
            return answer
        receiver.messages[str(len(receiver.messages) + 1)] = f"{body['title']}\n{body['message']}"
        return Response(status_code=200)

    with serve_receiver(receiver, [Route("/inbox", take, methods=["POST"])]) as running:
        yield running
