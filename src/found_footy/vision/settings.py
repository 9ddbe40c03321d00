"""Settings of the clip check."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from found_footy.platform.settings.groups import Duration, EnvVariable, HttpUrl, SettingsGroup
from found_footy.vision.clock import CLOCK_TOLERANCE_MINUTES


class VisionSettings(SettingsGroup):
    reader: Literal["auto", "llm", "local", "accept-all"] = "auto"
    """Who looks: auto asks the model server if there is one, else this machine; accept-all (tests) looks at nothing."""

    llm_url: Annotated[HttpUrl | None, EnvVariable("LLAMA_URL")] = None
    """Address of an OpenAI-compatible vision server (llama.cpp, Ollama, vLLM), without /v1."""

    llm_model: Annotated[str, EnvVariable("LLAMA_MODEL"), Field(min_length=1)] = "qwen3-vl"
    """Name of the model to ask; llama.cpp ignores it."""

    llm_key: Annotated[SecretStr | None, EnvVariable("LLAMA_API_KEY")] = None
    """Key of the server, if it wants one."""

    llm_prompt: Path | None = None
    """File with a prompt of your own; {count} and {names} stand for the frames. The answer's shape stays."""

    llm_timeout: Duration = timedelta(seconds=90)
    """How long one answer may take; models on a processor are slow, and slower after their start."""

    llm_width: Annotated[int, Field(ge=320, le=1920)] = 1280
    """Width of the pictures that are sent; below 1024 small clocks are not read."""

    llm_at_once: Annotated[int, Field(ge=1, le=64)] = 2
    """Questions that the whole deployment asks the server at once, however many workers there are."""

    llm_failures: Annotated[int, Field(ge=1, le=100)] = 5
    """Failures in a row after which the server is left alone for a while."""

    llm_pause: Duration = timedelta(seconds=30)
    """How long it is left alone before the next try."""

    when_down: Literal["wait", "local"] = "wait"
    """With reader auto, when the model has been away for long: let clips wait, or look with this machine."""

    local_after: Duration = timedelta(minutes=10)
    """How long the model must have been away before this machine stands in."""

    threads: Annotated[int, Field(ge=1, le=64)] = 1
    """Cores that one look of the local reader may use."""

    model_dir: Path | None = None
    """Folder of the picture model; by default `models` in the data directory."""

    tolerance: Annotated[int, Field(ge=0, le=15)] = CLOCK_TOLERANCE_MINUTES
    """Minutes by which the clock in the picture may differ from the goal's."""
