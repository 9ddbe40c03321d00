"""The documents of the operator's pages. `documents.py` says how they are used."""

from datetime import datetime
from typing import TypedDict


class DismissedErrorDocument(TypedDict):
    """An error that the operator has dismissed, in `dismissed_errors`. A failure after `at` is shown again."""

    _id: str
    at: datetime
    by: str
