"""The plan of an afternoon: for every name a story of actions, made from a seed. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from found_footy_sim.uploads.pictures import HostileKind, Motif, build_hostile_file, draw_picture

_VARIANTS = 2
_DUPLICATES = 5
# Names that organizations give: every store and every notification writes these characters in its own way.
_NAME_FORMS = (
    "photo {n}.png",
    "Übung_{n}.jpg",
    "a+b&c-{n}.jpeg",
    "100% {n}.png",
    "{n}.JPG",
    "写真{n}.png",
    "it's {n}.webp",
)


class ActionKind(StrEnum):
    """upload, delete: through the API. presigned: to the store, by an address that the API signed. put, remove: to the
    store with its own credentials, which tells the product nothing. tell_created, tell_removed: a notification of the
    store. settle: wait until the row shows what is stored.
    """

    UPLOAD = "upload"
    PRESIGNED = "presigned"
    PUT = "put"
    DELETE = "delete"
    REMOVE = "remove"
    TELL_CREATED = "tell_created"
    TELL_REMOVED = "tell_removed"
    SETTLE = "settle"


STORING_ACTIONS = (ActionKind.UPLOAD, ActionKind.PRESIGNED, ActionKind.PUT)
DELETING_ACTIONS = (ActionKind.DELETE, ActionKind.REMOVE)


class StoryKind(StrEnum):
    UPLOAD = "upload"
    OVERWRITE = "overwrite"
    THERE_AND_BACK = "A-B-A"
    DELETE = "delete"
    DELETE_AND_BACK = "delete and back"
    DUPLICATES = "duplicate notifications"
    OUT_OF_ORDER = "notifications out of order"
    LATE_AFTER_DELETE = "late notification after the delete"
    LOST = "lost notification"
    LOST_OVERWRITE = "lost notification of an overwrite"
    LOST_DELETE = "lost notification of a delete"
    NEVER_TOLD = "stored and removed, never told"
    PRESIGNED = "presigned"
    TRUNCATED = "truncated picture"
    HTML = "HTML named .jpg"
    TOO_LARGE_FOR_API = "too large for the API"
    TOO_LARGE_IN_STORE = "too large, in the store"


@dataclass(frozen=True)
class UploadFile:
    """A picture of a motif, or a hostile file."""

    content: Motif | HostileKind
    variant: int

    @property
    def is_hostile(self) -> bool:
        return isinstance(self.content, HostileKind)

    def build(self, max_bytes: int) -> bytes:
        if isinstance(self.content, HostileKind):
            return build_hostile_file(self.content, self.variant, max_bytes)
        return draw_picture(self.content, self.variant)


@dataclass(frozen=True)
class Action:
    """`file` is stored, or told about; `times` is how often a notification comes."""

    kind: ActionKind
    file: UploadFile | None = None
    times: int = 1


@dataclass(frozen=True)
class Story:
    """What happens to one name, one action after another."""

    name: str
    kind: StoryKind
    actions: tuple[Action, ...]


@dataclass(frozen=True)
class Afternoon:
    seed: int
    stories: tuple[Story, ...]
    malformed: tuple[bytes, ...]


def plan_afternoon(seed: int, names: int) -> Afternoon:
    """Plan stories for `names` names, of every kind in turn; the seed decides names, pictures, pauses and order."""
    random, kinds = Random(seed), list(StoryKind)
    stories = [
        Story(_NAME_FORMS[number % len(_NAME_FORMS)].format(n=number), kind, _plan_actions(kind, random))
        for number, kind in enumerate(kinds[place % len(kinds)] for place in range(names))
    ]
    random.shuffle(stories)
    return Afternoon(seed, tuple(stories), _write_malformed_notifications(seed))


def list_pictures(stories: Iterable[Story]) -> list[UploadFile]:
    """Return each picture that is used, once, without the hostile files."""
    files = {action.file for story in stories for action in story.actions if action.file is not None}
    return sorted((file for file in files if not file.is_hostile), key=lambda file: (file.content, file.variant))


def _plan_actions(kind: StoryKind, random: Random) -> tuple[Action, ...]:
    # Different motifs: a row that stayed on the wrong version must have the wrong label.
    first, second = (UploadFile(motif, random.randrange(_VARIANTS)) for motif in random.sample(list(Motif), 2))
    # Sometimes the next action comes before the first one is classified.
    pause = (Action(ActionKind.SETTLE),) if random.random() < 0.5 else ()
    return (*_ordinary_actions(kind, first, second, pause), *_hostile_actions(kind, random.randrange(_VARIANTS)))


def _ordinary_actions(
    kind: StoryKind, first: UploadFile, second: UploadFile, pause: Sequence[Action]
) -> tuple[Action, ...]:
    upload, replace, settle = Action(ActionKind.UPLOAD, first), Action(ActionKind.UPLOAD, second), _SETTLE
    put, put_second, tell = Action(ActionKind.PUT, first), Action(ActionKind.PUT, second), ActionKind.TELL_CREATED
    delete, remove = Action(ActionKind.DELETE), Action(ActionKind.REMOVE)
    planned: dict[StoryKind, Sequence[Action]] = {
        StoryKind.UPLOAD: (upload,),
        StoryKind.OVERWRITE: (upload, *pause, replace),
        StoryKind.THERE_AND_BACK: (upload, *pause, replace, *pause, upload),
        StoryKind.DELETE: (upload, settle, delete),
        StoryKind.DELETE_AND_BACK: (upload, settle, delete, *pause, upload),
        StoryKind.DUPLICATES: (put, Action(tell, first, _DUPLICATES)),
        StoryKind.OUT_OF_ORDER: (put, put_second, Action(tell, second), *pause, Action(tell, first)),
        StoryKind.LATE_AFTER_DELETE: (
            put,
            Action(tell, first),
            settle,
            remove,
            Action(ActionKind.TELL_REMOVED),
            settle,
            Action(tell, first, 2),
        ),
        StoryKind.LOST: (put,),
        StoryKind.LOST_OVERWRITE: (upload, settle, put_second),
        StoryKind.LOST_DELETE: (upload, settle, remove),
        StoryKind.NEVER_TOLD: (put, remove),
        StoryKind.PRESIGNED: (Action(ActionKind.PRESIGNED, first), Action(tell, first)),
    }
    return tuple(planned.get(kind, ()))


_SETTLE = Action(ActionKind.SETTLE)


def _hostile_actions(kind: StoryKind, variant: int) -> tuple[Action, ...]:
    oversized = UploadFile(HostileKind.OVERSIZED, variant)
    planned: dict[StoryKind, Sequence[Action]] = {
        StoryKind.TRUNCATED: (Action(ActionKind.UPLOAD, UploadFile(HostileKind.TRUNCATED, variant)),),
        StoryKind.HTML: (Action(ActionKind.UPLOAD, UploadFile(HostileKind.HTML, variant)),),
        StoryKind.TOO_LARGE_FOR_API: (Action(ActionKind.UPLOAD, oversized),),
        StoryKind.TOO_LARGE_IN_STORE: (
            Action(ActionKind.PUT, oversized),
            Action(ActionKind.TELL_CREATED, oversized),
        ),
    }
    return tuple(planned.get(kind, ()))


def _write_malformed_notifications(seed: int) -> tuple[bytes, ...]:
    """Bodies of which each has one thing that nobody can read."""
    return (
        b"\xff\xfe not JSON %d" % seed,
        b'{"Records": [{"eventVersion": "2.1", "eventSource": "aws:s3", "seed": %d}]}' % seed,
        b'{"shape": "of no store", "seed": %d}' % seed,
        b'{"Records": [{"eventVersion": "9.0", "eventSource": "aws:s3", "eventName": "ObjectCreated:Put", '
        b'"s3": {"bucket": {"name": "x"}, "object": {"key": "%d"}}}]}' % seed,
    )
