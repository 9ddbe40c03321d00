"""Errors of the clip check. A clip that fails a check is no error: that is a Rejected verdict."""

from found_footy.platform.errors import ConfigError, Unavailable


class VisionUnavailable(Unavailable):
    """No reader was available, or its answer was unusable. Retryable; never a rejection."""


class VisionMisconfigured(VisionUnavailable):
    """No reader was available, and a retry will not help: the key, the model's name or a picture is not accepted."""

    retryable = False


class VisionDenied(VisionMisconfigured):
    """The server requires a key, or another one."""


class ModelMissing(ConfigError):
    """The image classifier has not been built on this machine."""


class ModelDigestMismatch(ConfigError):
    """The file of the image classifier, or the package it is built from, has another digest than expected."""
