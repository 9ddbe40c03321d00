"""The environment of each of the product's processes: its own settings, and no secret that it does not use."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from found_footy.platform.environment import PREFIX
from found_footy.platform.settings import variables, variables_of
from found_footy.settings import Settings

# Of the machine, for a program that runs a browser: how to find files, a screen, fonts, certificates and the network.
_BROWSERS = frozenset(
    {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TERM", "NO_COLOR", "DISPLAY",
     "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "LD_LIBRARY_PATH", "PLAYWRIGHT_BROWSERS_PATH",
     "VIRTUAL_ENV", "http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
     "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"}
)  # fmt: skip
_BROWSERS_KINDS = ("LC_", "XDG_", "PYTHON", "FONTCONFIG_")
_COMMON = ("log", "metrics")
_STORES = (
    "mongo",
    "temporal",
    "objects",
    "queues",
    "pace",
    "fixtures",
    "discovery",
    "clips",
    "keeping",
    "vision",
    "disk",
)


@dataclass(frozen=True)
class Share:
    """The groups of settings that a process reads, those of them whose secrets it does not use, and whether it has a
    browser: then it gets nothing else of the user's environment, which may hold keys of quite other programs.
    """

    groups: tuple[str, ...]
    without_secrets: tuple[str, ...] = ()
    browser: bool = False


WORKER = Share((*_COMMON, *_STORES, "nats", "worker"))
WEB = Share((*_COMMON, *_STORES, "web"), without_secrets=("fixtures", "vision"))
SEARCH = Share((*_COMMON, "xsearch"), browser=True)
SHARES = (WORKER, WEB, SEARCH)
_EVERY = frozenset(name for names in variables(Settings) for name in names)


def environment(settings: Settings) -> dict[str, str]:
    """Ours, with the data directory, where children find the addresses and keys of the embedded servers."""
    return {**os.environ, "FOOTY_DATA_DIR": str(settings.data_dir)}


def share(env: Mapping[str, str], of: Share) -> dict[str, str]:
    """What of `env` a process is given."""
    allowed = variables_of(Settings, of.groups, of.without_secrets)
    given = {name: text for name, text in env.items() if name in allowed or _is_the_machines(name, of)}
    withheld = (variables_of(Settings, of.groups) - allowed) & env.keys()
    kept_back = sorted(name for name in withheld if env[name].strip())
    return {**given, "FOOTY_KEYS_ELSEWHERE": ",".join(kept_back)} if kept_back else given


def _is_the_machines(name: str, of: Share) -> bool:
    if name in _EVERY:
        return False
    return not of.browser or name in _BROWSERS or name.startswith((*_BROWSERS_KINDS, PREFIX))
