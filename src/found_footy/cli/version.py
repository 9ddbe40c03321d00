"""`found-footy version`"""

from found_footy.cli import console
from found_footy.platform import version


def command() -> int:
    """Print the version and the commit that is running."""
    console.out.print(f"found-footy {version.build_info()}", highlight=False)
    return console.OK
