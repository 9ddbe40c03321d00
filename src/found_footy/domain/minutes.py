"""A minute of a match in the feed's form: 45+2 is `elapsed` 45 and `extra` 2. Pure."""


def add_extra_time(elapsed: int, extra: int | None) -> int:
    """Return the minute on a clock that goes on in added time: 47 for 45+2."""
    return elapsed + (extra or 0)
