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
    """Token of the search services, the same for all. `found-footy up` sets it for the service that it starts."""

    sources: Annotated[tuple[Literal["x", "bluesky", "reddit"], ...], Field(min_length=1)] = ("x", "bluesky")
    """Sources that are searched for clips. While the first one fails, a goal's search pauses. Reddit is off unless it
    is named here; read docs/rights.md first."""

    search_timeout: Duration = timedelta(seconds=125)
    """How long one search may take at the search services. Longer than the service's longest wait, page timeout and
    search time limit together; else searches are abandoned that the service still runs and charges to its budget."""

    search_rest: Duration = timedelta(seconds=30)
    """Cooldown of a search service that failed, while others answer."""

    search_patience: Duration = timedelta(seconds=75)
    """How long a search waits for a search service before its goal's search pauses. Longer than the time between two
    searches of a goal, so that a goal that waited in vain waits again after the shortest pause."""

    search_limit: Annotated[int, Field(ge=1, le=100)] = 30
    """Maximum number of results of one search."""

    answer_limit: Bytes = 2 * 2**20
    """Maximum size of an answer of a search service."""

    aliases_kept: Duration = timedelta(days=30)
    """How long the aliases of a team are cached before they are looked up again."""

    fallback_aliases_kept: Duration = timedelta(days=1)
    """How long aliases are cached that no external source confirmed."""

    aliases_renewed: Duration = timedelta(hours=23)
    """The ingest looks up aliases again that expire within this time, so that they last until the next ingest."""

    bluesky_url: HttpUrl = "https://api.bsky.app"
    """Address of Bluesky's post search."""

    bluesky_handle: Annotated[str, EnvVariable("BLUESKY_HANDLE"), Field(max_length=253)] = ""
    """Handle of a Bluesky account. With one, searches go through it, whether or not the public search is open."""

    bluesky_app_password: Annotated[SecretStr, EnvVariable("BLUESKY_APP_PASSWORD")] = SecretStr("")
    """An app password of that account (Bluesky: Settings, Privacy and security), not its own password."""

    bluesky_service: HttpUrl = "https://bsky.social"
    """Address of the server that the Bluesky account logs in to: Bluesky's, or your own."""

    bluesky_blob_url: HttpUrl = "https://bsky.social"
    """Address that Bluesky's video files are requested from; it redirects to the author's server."""

    bluesky_timeout: Duration = timedelta(seconds=15)
    """Timeout of a request to Bluesky."""

    reddit_client_id: Annotated[str, EnvVariable("REDDIT_CLIENT_ID"), Field(max_length=100)] = ""
    """Id of an application that Reddit has approved. Without one, r/soccer's Atom feed is read."""

    reddit_client_secret: Annotated[SecretStr, EnvVariable("REDDIT_CLIENT_SECRET")] = SecretStr("")
    """Secret of that application; an installed application has none."""

    reddit_account: Annotated[str, EnvVariable("REDDIT_ACCOUNT"), Field(pattern=r"[A-Za-z0-9_-]{0,20}")] = ""
    """Your account on Reddit, named to Reddit in every request, as its rules ask."""

    reddit_url: HttpUrl = "https://www.reddit.com"
    """Address of Reddit's feeds and log-in."""

    reddit_api_url: HttpUrl = "https://oauth.reddit.com"
    """Address of Reddit's API for applications with a key."""

    reddit_timeout: Duration = timedelta(seconds=15)
    """Timeout of a request to Reddit."""

    reddit_feed_interval: Annotated[Duration, Field(ge=timedelta(seconds=1))] = timedelta(seconds=60)
    """Time between two polls of the Atom feed. Reddit allows about one a minute per address."""

    reddit_api_interval: Annotated[Duration, Field(ge=timedelta(seconds=1))] = timedelta(seconds=30)
    """Time between two polls with a key. Reddit's lists change no faster."""

    reddit_rest: Duration = timedelta(minutes=15)
    """How long Reddit is not called after it refused; doubled while it refuses."""

    wikidata: bool = True
    """Look up team names in Wikidata. Needs a contact; without one, only the built-in table and rules are used."""

    wikidata_contact: Annotated[str, EnvVariable("WIKIDATA_CONTACT")] = ""
    """Your e-mail or web address, sent to Wikidata with every request, as its rules ask."""

    wikidata_url: HttpUrl = "https://www.wikidata.org/w/api.php"
    """Address of Wikidata's interface."""

    wikidata_query_url: HttpUrl = "https://query.wikidata.org/sparql"
    """Address of Wikidata's query service."""

    wikidata_timeout: Duration = timedelta(seconds=15)
    """Timeout of a request to Wikidata."""

    alias_model_url: Annotated[HttpUrl | None, EnvVariable("LLAMA_URL")] = None
    """Address of a language model with the chat completions interface; it selects among aliases. Optional."""

    alias_model: str = ""
    """Name of the model, if the server has several."""

    alias_model_timeout: Duration = timedelta(seconds=20)
    """Timeout of a request to the language model."""
