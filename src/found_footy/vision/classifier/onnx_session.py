"""Opens a verified ONNX file for the processor."""

from pathlib import Path

import onnxruntime  # type: ignore[import-untyped]

from found_footy.vision.classifier.npm_package import compute_sha256
from found_footy.vision.errors import ModelDigestMismatch, ModelMissing


def open_session(path: Path, sha256: str, threads: int, remedy: str) -> onnxruntime.InferenceSession:
    """`remedy` says in the errors what the operator can do. Raises ModelMissing and ModelDigestMismatch."""
    if not path.is_file():
        raise ModelMissing(f"{path} does not exist; {remedy}")
    if (found := compute_sha256(path)) != sha256:
        raise ModelDigestMismatch(f"{path} is damaged or another file (SHA-256 {found}); {remedy}")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
