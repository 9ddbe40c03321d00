"""Child program that joins the picture of one file and the sound of another, run in the sandbox under limits.

`python -m found_footy.platform.media.children.mux PICTURE SOUND OUTPUT` prints one JSON object: {"joined": true}, or
the fault that makes a file unusable. Nothing is decoded or encoded.
"""

import sys
from pathlib import Path

import av
from av.container import InputContainer, OutputContainer

from found_footy.platform.media.children.decoding import (
    MediaFacts,
    UnusableMediaError,
    open_video,
    print_answer,
)
from found_footy.platform.media.decode_rules import DEMUXER, INPUT_OPTIONS
from found_footy.platform.media.mp4_boxes import is_mp4


def main(arguments: list[str]) -> int:
    return print_answer(lambda: _join_files(*map(Path, arguments)))


def _join_files(picture: Path, sound: Path, output: Path) -> MediaFacts:
    if not is_mp4(sound):
        raise UnusableMediaError("not_video", "the sound is not in an MP4")
    options = {"movflags": "+faststart", "fflags": "+bitexact"}
    with (
        open_video(picture) as (shown, _),
        av.open(str(sound), format=DEMUXER, options=INPUT_OPTIONS) as heard,
        av.open(str(output), "w", format="mp4", container_options=options) as joined,
    ):
        if not heard.streams.audio:
            raise UnusableMediaError("no_video", "the sound has no audio stream")
        _copy_streams(shown, heard, joined)
    return {"joined": True}


def _copy_streams(shown: InputContainer, heard: InputContainer, joined: OutputContainer) -> None:
    """Packets in the order of their time, as a player needs them."""
    pairs = [(shown, shown.streams.video[0]), (heard, heard.streams.audio[0])]
    targets = [joined.add_stream_from_template(stream, opaque=True) for _, stream in pairs]
    packets = [
        (float(packet.dts * packet.time_base), target, packet)
        for (container, stream), target in zip(pairs, targets, strict=True)
        for packet in container.demux(stream)
        if packet.dts is not None and packet.time_base is not None
    ]
    for _, target, packet in sorted(packets, key=lambda timed: timed[0]):
        packet.stream = target
        joined.mux(packet)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
