"""The cookie file: private to its owner, replaced atomically, and never by cookies without a session."""

import json
from dataclasses import asdict
from pathlib import Path

from found_footy.platform.errors import BadInput
from found_footy.platform.files import write_private
from found_footy.xsearch.session.cookies import Cookie, CookieJar, filter_site_cookies, has_session, session_token


class CookieFile:
    """Cookies of one account on one site, at `path`. The folder must exist."""

    def __init__(self, path: Path, site: str) -> None:
        self._path = path
        self._site = site

    def load(self) -> CookieJar:
        """Load the stored cookies, empty if there are none yet. Raises BadInput, naming the file, if it is
        malformed.
        """
        try:
            rows = json.loads(self._path.read_text("utf-8"))
            return filter_site_cookies(tuple(Cookie(**row) for row in rows), self._site)
        except FileNotFoundError:
            return ()
        except (ValueError, TypeError) as error:
            raise BadInput(f"{self._path} is not a cookie file of this program ({type(error).__name__})") from None

    def save(self, jar: CookieJar) -> bool:
        """Store `jar` if it holds a session; otherwise the stored cookies are kept, because they may still work."""
        ours = filter_site_cookies(jar, self._site)
        if not has_session(ours):
            return False
        write_private(self._path, json.dumps([asdict(cookie) for cookie in ours]))
        return True


def select_cookies_to_restore(stored: CookieJar, in_profile: CookieJar) -> CookieJar:
    """Select the cookies to restore in a new browser.

    The profile loses session cookies when the browser ends. A profile with a newer log-in is not changed.
    """
    if session_token(in_profile) not in (None, session_token(stored)):
        return ()
    present = {(cookie.name, cookie.domain.lstrip("."), cookie.path) for cookie in in_profile}
    return tuple(c for c in stored if (c.name, c.domain.lstrip("."), c.path) not in present)
