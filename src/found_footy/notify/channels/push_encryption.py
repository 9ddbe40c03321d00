"""Web push: a message encrypted for one browser (RFC 8291, RFC 8188) and the sender's proof (VAPID, RFC 8292)."""

import base64
import json
import os
import struct
from datetime import datetime, timedelta

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

_CURVE = ec.SECP256R1()
_SALT_BYTES, _KEY_BYTES, _NONCE_BYTES, _SCALAR_BYTES = 16, 16, 12, 32
_RECORD_BYTES = 4096
_LAST_RECORD = b"\x02"
# RFC 8030 lets a push service refuse more than 4096 bytes; 86 are the header, 16 the tag, 1 the delimiter.
MAX_PAYLOAD_BYTES = _RECORD_BYTES - 86 - 16 - 1
_TOKEN_LIFETIME = timedelta(hours=12)


def encrypt_payload(
    payload: bytes,
    receiver_key: bytes,
    auth: bytes,
    *,
    sender: ec.EllipticCurvePrivateKey | None = None,
    salt: bytes | None = None,
) -> bytes:
    """Encrypt `payload` for a subscription's `p256dh` and `auth`, in the coding aes128gcm. Key and salt are new for
    each message; a test gives known ones. Raises ValueError if the receiver's key is no point of the curve.
    """
    sender = sender or ec.generate_private_key(_CURVE)
    salt = salt or os.urandom(_SALT_BYTES)
    receiver = ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, receiver_key)
    sender_key = encode_point(sender.public_key())
    shared = sender.exchange(ec.ECDH(), receiver)
    key_material = _derive(auth, shared, b"WebPush: info\0" + receiver_key + sender_key, 32)
    content_key = _derive(salt, key_material, b"Content-Encoding: aes128gcm\0", _KEY_BYTES)
    nonce = _derive(salt, key_material, b"Content-Encoding: nonce\0", _NONCE_BYTES)
    header = salt + struct.pack("!IB", _RECORD_BYTES, len(sender_key)) + sender_key
    return header + AESGCM(content_key).encrypt(nonce, payload + _LAST_RECORD, None)


def _derive(salt: bytes, secret: bytes, info: bytes, length: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=length, salt=salt, info=info).derive(secret)


def load_private_key(scalar: bytes) -> ec.EllipticCurvePrivateKey:
    """Raises ValueError if it is no key of the curve."""
    return ec.derive_private_key(int.from_bytes(scalar, "big"), _CURVE)


def encode_point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def build_authorization(key: ec.EllipticCurvePrivateKey, origin: str, contact: str, now: datetime) -> str:
    """The value of the header `Authorization`: a token for the push service's origin, and the key that signed it."""
    claims = {"aud": origin, "exp": int((now + _TOKEN_LIFETIME).timestamp()), "sub": contact}
    signed = f"{_encode_json({'typ': 'JWT', 'alg': 'ES256'})}.{_encode_json(claims)}"
    numbers = decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(SHA256())))
    signature = b"".join(number.to_bytes(_SCALAR_BYTES, "big") for number in numbers)
    return f"vapid t={signed}.{encode_base64url(signature)}, k={encode_base64url(encode_point(key.public_key()))}"


def _encode_json(value: dict[str, object]) -> str:
    return encode_base64url(json.dumps(value, separators=(",", ":")).encode())


def encode_base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
