"""The browser, as the service needs it: a real Chromium, or a stand-in where only the order of things is tested."""

import asyncio
from typing import Protocol

from found_footy.xsearch.search_run import SearchTab
from found_footy.xsearch.session.cookies import CookieJar


class SearchBrowser(Protocol):
    """A running browser with one tab for searching. `lost` is set when it is gone for good."""

    lost: asyncio.Event

    async def ping(self) -> None:
        """Returns if the browser answers at all; raises Transient if it hangs or is gone."""
        ...

    async def get_tab(self) -> SearchTab:
        """The tab to search in, a fresh one if the last one broke. Raises Transient when the browser is gone."""
        ...

    async def leave_site(self) -> None:
        """Leave the site: an idle browser shows an empty page, which costs nothing."""
        ...

    async def get_cookies(self) -> CookieJar: ...

    async def add_cookies(self, jar: CookieJar) -> None: ...

    async def clear_cookies(self) -> None: ...

    async def show_login_page(self) -> None:
        """Open the site's log-in page, unfiltered, for a person at the screen."""
        ...

    async def hide_login_page(self) -> None: ...

    async def close(self) -> None: ...
