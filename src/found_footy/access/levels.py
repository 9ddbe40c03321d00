"""Access levels, and the roles of users and scopes of keys that stand for them. Pure."""

from enum import IntEnum, StrEnum


class AccessLevel(IntEnum):
    """What somebody may do. Each level includes those below it."""

    NOTHING = 0
    VIEW = 1
    CURATE = 2
    ADMIN = 3


class Role(StrEnum):
    VIEWER = "viewer"
    CURATOR = "curator"
    ADMIN = "admin"

    @property
    def level(self) -> AccessLevel:
        return _ROLE_LEVELS[self]


class KeyScope(StrEnum):
    READ = "read"
    CURATE = "curate"
    ADMIN = "admin"

    @property
    def level(self) -> AccessLevel:
        return _SCOPE_LEVELS[self]


_ROLE_LEVELS = {Role.VIEWER: AccessLevel.VIEW, Role.CURATOR: AccessLevel.CURATE, Role.ADMIN: AccessLevel.ADMIN}
_SCOPE_LEVELS = {
    KeyScope.READ: AccessLevel.VIEW,
    KeyScope.CURATE: AccessLevel.CURATE,
    KeyScope.ADMIN: AccessLevel.ADMIN,
}


def compute_key_level(scope: KeyScope, owner_role: Role) -> AccessLevel:
    """A key opens what its scope says and never more than its owner may: a role that is lowered lowers the keys."""
    return min(scope.level, owner_role.level)


def list_scopes(role: Role) -> list[KeyScope]:
    """The scopes that a user of this role may give to a key."""
    return [scope for scope in KeyScope if scope.level <= role.level]
