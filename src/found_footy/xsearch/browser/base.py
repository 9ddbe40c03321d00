"""Protocol of the browser: a real Chromium, or a fake in tests of the service's control flow."""

import asyncio
from typing import Protocol

from found_footy.xsearch.search_run import SearchTab
from found_footy.xsearch.session.cookies import CookieJar


class SearchBrowser(Protocol):
    """A running browser with one tab for searching. `lost` is set when it is gone for good."""

    lost: asyncio.Event

    async def ping(self) -> None:
        """Return if the browser answers; raises TransientFailure if it hangs or is gone."""
        ...

    async def get_tab(self) -> SearchTab:
        """Return the tab to search in, a new one if the last one broke. Raises TransientFailure when the browser is
        gone.
        """
        ...

    async def leave_site(self) -> None:
        """Open a blank page: an idle browser then uses no processor time."""
        ...

    async def get_cookies(self) -> CookieJar: ...

    async def add_cookies(self, jar: CookieJar) -> None: ...

    async def clear_cookies(self) -> None: ...

    async def show_login_page(self) -> None:
        """Open the site's log-in page, without request filtering, for a person at the screen."""
        ...

    async def hide_login_page(self) -> None: ...

    async def close(self) -> None: ...
