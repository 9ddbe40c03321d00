"""Settings of the clip check."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from found_footy.platform.settings.groups import Duration, EnvVariable, HttpUrl, SettingsGroup
from found_footy.vision.clock import CLOCK_TOLERANCE_MINUTES
from found_footy.vision.expectation import ProofRules


class VisionSettings(SettingsGroup):
    reader: Literal["auto", "llm", "local", "accept-all"] = "auto"
    """Reader of the clip check: auto is llm if a vision server is set, else local; accept-all: no check (tests)."""

    llm_url: Annotated[HttpUrl | None, EnvVariable("LLAMA_URL")] = None
    """Address of an OpenAI-compatible vision server (llama.cpp, Ollama, vLLM), without /v1."""

    llm_model: Annotated[str, EnvVariable("LLAMA_MODEL"), Field(min_length=1)] = "qwen3-vl"
    """Name of the model; llama.cpp ignores it."""

    llm_key: Annotated[SecretStr | None, EnvVariable("LLAMA_API_KEY")] = None
    """API key of the server, if it requires one."""

    llm_prompt: Path | None = None
    """File with your own prompt; {count} and {names} stand for the frames. The answer's schema stays."""

    llm_timeout: Duration = timedelta(seconds=90)
    """Timeout of one answer; models on a CPU are slow, and slower after their start."""

    llm_width: Annotated[int, Field(ge=320, le=1920)] = 1280
    """Width of the pictures that are sent; below 1024 small clocks are not read."""

    llm_at_once: Annotated[int, Field(ge=1, le=64)] = 2
    """Requests to the server at the same time, over all workers of the deployment."""

    llm_failures: Annotated[int, Field(ge=1, le=100)] = 5
    """Consecutive failures after which the server is not called for a cooldown."""

    llm_pause: Duration = timedelta(seconds=30)
    """Duration of that cooldown."""

    when_down: Literal["wait", "local"] = "wait"
    """With reader auto, while the vision server is down for long: let clips wait, or use the local reader."""

    local_after: Duration = timedelta(minutes=10)
    """How long the vision server must be down before the local reader replaces it."""

    threads: Annotated[int, Field(ge=1, le=64)] = 1
    """Cores that one check of the local reader may use."""

    model_dir: Path | None = None
    """Folder of the picture model; by default `models` in the data directory."""

    tolerance: Annotated[int, Field(ge=0, le=15)] = CLOCK_TOLERANCE_MINUTES
    """Minutes by which the clock in the picture may differ from the goal's minute."""

    proof_teams: bool = True
    """Check the team names in the score bug: another match is rejected."""

    proof_score: bool = True
    """Check the score in the score bug: another goal of the match is rejected."""

    proof_half: bool = True
    """Check the half that is printed beside the clock."""

    proof_witnesses: bool = True
    """Let confirmed teams and score make up for a clock that one frame shows, or that has lost its leading digits."""

    proof_other_goals: bool = True
    """Verify a clip only if it fits no other goal of the match as well."""

    @property
    def proof_rules(self) -> ProofRules:
        return ProofRules(
            self.tolerance,
            self.proof_teams,
            self.proof_score,
            self.proof_half,
            self.proof_witnesses,
            self.proof_other_goals,
        )
