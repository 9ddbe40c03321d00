"""The environment of each of the product's processes: its own settings, and no secret that it does not use."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from found_footy.platform.settings.environment import ENV_PREFIX
from found_footy.platform.settings.groups import list_variables, variables_of_groups
from found_footy.settings import Settings

# Machine variables for a program with a browser: paths, display, fonts, certificates and network.
_BROWSER_VARIABLES = frozenset(
    {
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TMPDIR",
        "TERM",
        "NO_COLOR",
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "XAUTHORITY",
        "DBUS_SESSION_BUS_ADDRESS",
        "LD_LIBRARY_PATH",
        "PLAYWRIGHT_BROWSERS_PATH",
        "VIRTUAL_ENV",
        "http_proxy",
        "https_proxy",
        "no_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "NODE_EXTRA_CA_CERTS",
    }
)
_BROWSER_VARIABLE_PREFIXES = ("LC_", "XDG_", "PYTHON", "FONTCONFIG_")
_COMMON_GROUPS = ("log", "metrics")
_PIPELINE_GROUPS = (
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
    "nats",
    "uploads",
)


@dataclass(frozen=True)
class EnvironmentScope:
    """The settings groups that a process reads, those of them whose secrets it does not use, single secrets that it
    does not use either, and whether it runs a browser: then it gets nothing else of the user's environment, which may
    hold keys of other programs.
    """

    groups: tuple[str, ...]
    without_secrets: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    has_browser: bool = False

    @property
    def variables(self) -> frozenset[str]:
        """The variables of settings that the process gets; a secret may also be given as a file."""
        names = {name for variable in self.withheld for name in (variable, f"{variable}_FILE")}
        return frozenset(variables_of_groups(Settings, self.groups, self.without_secrets) - names)


WORKER_SCOPE = EnvironmentScope(
    (*_COMMON_GROUPS, *_PIPELINE_GROUPS, "worker", "notify", "tracing"),
    withheld=("FOOTY_UPLOADS__NOTIFICATION_SECRET",),
)
WEB_SCOPE = EnvironmentScope(
    (*_COMMON_GROUPS, *_PIPELINE_GROUPS, "web", "access", "scaler", "tracing"),
    without_secrets=("fixtures", "vision"),
    withheld=("FOOTY_UPLOADS__WORKERS_AI_TOKEN", "FOOTY_UPLOADS__R2_TOKEN"),
)
SEARCH_SCOPE = EnvironmentScope((*_COMMON_GROUPS, "xsearch"), has_browser=True)
ALL_SCOPES = (WORKER_SCOPE, WEB_SCOPE, SEARCH_SCOPE)
_ALL_VARIABLES = frozenset(name for names in list_variables(Settings) for name in names)


def build_environment(settings: Settings) -> dict[str, str]:
    """Our environment plus the data directory, where children find addresses and keys of the embedded servers."""
    return {**os.environ, "FOOTY_DATA_DIR": str(settings.data_dir)}


def filter_environment(env: Mapping[str, str], scope: EnvironmentScope) -> dict[str, str]:
    """Return the part of `env` that a process gets."""
    allowed = scope.variables
    given = {name: text for name, text in env.items() if name in allowed or _is_machine_variable(name, scope)}
    withheld = (variables_of_groups(Settings, scope.groups) - allowed) & env.keys()
    kept_back = sorted(name for name in withheld if env[name].strip())
    return {**given, "FOOTY_KEYS_ELSEWHERE": ",".join(kept_back)} if kept_back else given


def _is_machine_variable(name: str, scope: EnvironmentScope) -> bool:
    if name in _ALL_VARIABLES:
        return False
    return (
        not scope.has_browser
        or name in _BROWSER_VARIABLES
        or name.startswith((*_BROWSER_VARIABLE_PREFIXES, ENV_PREFIX))
    )
