"""What can go wrong with looking. A clip that fails a check is no error: that is a Rejected verdict."""

from found_footy.platform.errors import ConfigError, Unavailable


class VisionUnavailable(Unavailable):
    """Nobody could look, or what was answered is no answer. Worth another try; never a no."""


class VisionMisconfigured(VisionUnavailable):
    """Nobody could look, and trying again will not help: a key, a model's name or a picture that is refused."""

    retryable = False


class VisionDenied(VisionMisconfigured):
    """The server wants a key, or another one."""


class ModelMissing(ConfigError):
    """The picture classifier has not been made on this machine."""


class ModelDigestMismatch(ConfigError):
    """A file that should be the picture classifier, or the package it is made from, is not what it should be."""
