"""`found-footy config`"""

from rich import box
from rich.table import Table

from found_footy.cli import console
from found_footy.settings import load_settings


def command() -> int:
    """Print every setting: its variable, its value (secrets masked), where the value comes from, what it is for."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("variable", "value", "origin", "meaning"):
        table.add_column(column, overflow="fold")
    for origin in load_settings().resolved:
        style = None if origin.origin == "default" else "bold"
        table.add_row(origin.variable, origin.value, origin.origin, origin.description, style=style)
    console.out.print(table)
    return console.OK
