"""Settings of stage two."""

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from found_footy.platform.http.access_tokens import AccessToken
from found_footy.platform.settings.groups import Bytes, Duration, EnvVariable, HttpUrl, SettingsGroup


class DiscoverySettings(SettingsGroup):
    search_urls: Annotated[tuple[HttpUrl, ...], EnvVariable("TWITTER_SERVICE_URL")] = ("http://127.0.0.1:8888",)
    """Addresses of the X search services; searches are spread over them."""

    search_token: Annotated[AccessToken | None, EnvVariable("X_SEARCH_TOKEN")] = None
    """The token that the search services ask for; all of them the same. Beside `up` it is known without being set."""

    sources: Annotated[tuple[Literal["x", "bluesky"], ...], Field(min_length=1)] = ("x", "bluesky")
    """Where clips are looked for. While the first one cannot answer, a goal's search waits for it."""

    search_timeout: Duration = timedelta(seconds=125)
    """How long one search may take at the search services. Longer than a service's patience, its page timeout and its
    time limit together, or a search is given up that the service still makes and pays for."""

    search_rest: Duration = timedelta(seconds=30)
    """How long a search service that failed is left alone while others answer."""

    search_patience: Duration = timedelta(seconds=75)
    """How long a search stands in line for a search service before its goal pauses. Longer than the time between two
    searches of a goal, so that a goal which waited in vain is back in line after the shortest pause."""

    search_limit: Annotated[int, Field(ge=1, le=100)] = 30
    """Most results asked for in one search."""

    answer_limit: Bytes = 2 * 2**20
    """Largest answer of a search service that is read."""

    aliases_kept: Duration = timedelta(days=30)
    """How long the aliases of a team are kept before they are asked for again."""

    fallback_aliases_kept: Duration = timedelta(days=1)
    """How long aliases that no outside source confirmed are kept; a better source is tried after that."""

    aliases_renewed: Duration = timedelta(hours=23)
    """Ingest has aliases looked up again that expire within this time, so that they last until the next ingest."""

    bluesky_url: HttpUrl = "https://api.bsky.app"
    """Address of Bluesky's post search."""

    bluesky_handle: Annotated[str, EnvVariable("BLUESKY_HANDLE"), Field(max_length=253)] = ""
    """Handle of a Bluesky account. With one, searches go through it, whether or not the public search is open."""

    bluesky_app_password: Annotated[SecretStr, EnvVariable("BLUESKY_APP_PASSWORD")] = SecretStr("")
    """An app password of that account (Bluesky: Settings, Privacy and security), not its own password."""

    bluesky_service: HttpUrl = "https://bsky.social"
    """Address that the Bluesky account logs in at: Bluesky's, or a server of your own."""

    bluesky_blob_url: HttpUrl = "https://bsky.social"
    """Address that Bluesky's video files are asked for at; it redirects to the author's machine."""

    bluesky_timeout: Duration = timedelta(seconds=15)
    """How long Bluesky may take to answer."""

    wikidata: bool = True
    """Ask Wikidata what teams are called. Needs a contact; without one, only the built-in table and rules are used."""

    wikidata_contact: Annotated[str, EnvVariable("WIKIDATA_CONTACT")] = ""
    """Your e-mail or web address, sent to Wikidata with every request, as its rules ask."""

    wikidata_url: HttpUrl = "https://www.wikidata.org/w/api.php"
    """Address of Wikidata's interface."""

    wikidata_query_url: HttpUrl = "https://query.wikidata.org/sparql"
    """Address of Wikidata's query service."""

    wikidata_timeout: Duration = timedelta(seconds=15)
    """How long Wikidata may take to answer one request."""

    alias_model_url: Annotated[HttpUrl | None, EnvVariable("LLAMA_URL")] = None
    """Address of a language model with the chat completions interface; it picks among aliases. Not needed."""

    alias_model: str = ""
    """Name of the model to ask for, if the server has several."""

    alias_model_timeout: Duration = timedelta(seconds=20)
    """How long the language model may take to pick."""
