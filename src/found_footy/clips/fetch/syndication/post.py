"""The videos of a post, or why there are none, from the embed endpoint's answer. Pure.

Videos are named as the search names them: the first playable one by the post's URL, every other by that URL with
`/video/N`, N being its position among the post's attachments.
"""

from collections.abc import Sequence
from typing import Any

from found_footy.clips.fetch.failures import FetchFailure
from found_footy.clips.fetch.syndication.wire import PostAnswer, SyndicationQuote
from found_footy.domain.messages import ClipCandidate
from found_footy.domain.outcomes import ClipOutcome
from found_footy.domain.tweets import find_video_position
from found_footy.platform.wire import parse_or_none

EMPTY_ANSWER = FetchFailure(ClipOutcome.DOWNLOAD_RATE_LIMITED, "the answer is empty", transient=True)
_NO_VIDEO = FetchFailure(ClipOutcome.BAD_URL, "the post has no video, or shows none to readers without an account")
_SUSPENDED = FetchFailure(ClipOutcome.DOWNLOAD_DELETED, "the post's author is suspended")

PostVideos = tuple[ClipCandidate, ...] | FetchFailure


def parse_post(body: Any, tweet_id: str) -> PostVideos:
    """The videos of the post, at least one; those of the post it quotes if it has none of its own, or only GIFs, which
    are a reaction to the quoted video.
    """
    if body == {}:
        return EMPTY_ANSWER
    answer = parse_or_none(PostAnswer, body)
    if answer is None:
        return _transient_failure("the answer is not an object")
    if answer.is_tombstone:
        return _explain_tombstone(answer.tombstone.text.text)
    if answer.typename != "Tweet":
        return _transient_failure("the answer is not a post")
    if not answer.is_about(tweet_id):
        return _transient_failure("the answer is about another post")
    return _SUSPENDED if answer.user is None else _list_videos(answer, tweet_id)


def select_video(videos: Sequence[ClipCandidate], url: str) -> ClipCandidate:
    """The video that `url` names by position, else the first."""
    position = find_video_position(url)
    named = [video for video in videos if position and find_video_position(video.url) == position]
    return (named or list(videos))[0]


def _list_videos(answer: PostAnswer, tweet_id: str) -> PostVideos:
    post, quoted = answer.to_post(tweet_id), answer.quoted_post
    own, theirs = post.list_videos(), quoted.list_videos() if quoted else ()
    if quoted and theirs and post.has_only_gifs and not quoted.has_only_gifs:
        return theirs
    return own or theirs or _explain_unavailable(answer) or _explain_unavailable(answer.quoted) or _NO_VIDEO


def _explain_unavailable(post: SyndicationQuote) -> FetchFailure | None:
    """Why the videos of a post that has some cannot be played."""
    kept_back = [media.availability for media in post.media if media.video]
    if not kept_back:
        return None
    why = kept_back[0].reason
    outcome = ClipOutcome.DOWNLOAD_GEO if "geo" in why.lower() else ClipOutcome.DOWNLOAD_DELETED
    return FetchFailure(outcome, f"the post's video is not available{f' ({why})' if why else ''}")


def _explain_tombstone(said: str) -> FetchFailure:
    if "deleted" in said.lower():
        return FetchFailure(ClipOutcome.DOWNLOAD_DELETED, f"the post is deleted: {said}")
    if "withheld" in said.lower():
        return FetchFailure(ClipOutcome.DOWNLOAD_GEO, f"the post is not shown here: {said}")
    return FetchFailure(
        ClipOutcome.DOWNLOAD_FAILED, f"the post is not shown to readers without an account{f': {said}' if said else ''}"
    )


def _transient_failure(reason: str) -> FetchFailure:
    return FetchFailure(ClipOutcome.DOWNLOAD_FAILED, reason, transient=True)
