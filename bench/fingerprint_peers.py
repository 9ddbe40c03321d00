"""How each peer fingerprints the file named on its command line. Run in the peer's own environment; the last word
printed is the CPU seconds it took, children included."""

_HEAD = """
import os, sys
def spent():
    t = os.times()
    return t.user + t.system + t.children_user + t.children_system
path = sys.argv[1]
"""

_TAIL = """
print(spent() - start)
"""

_VPDQ = """
import vpdq
start = spent()
assert vpdq.computeHash(path, seconds_per_hash=1)
"""

_IMAGEHASH = """
import cv2, imagehash
from PIL import Image
start = spent()
video = cv2.VideoCapture(path)
rate = video.get(cv2.CAP_PROP_FPS) or 25
hashes, number = [], 0
while video.grab():
    if number >= len(hashes) * rate / 4:
        frame = video.retrieve()[1]
        hashes.append(imagehash.dhash(Image.fromarray(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY))))
    number += 1
assert hashes
"""

_VIDEOHASH = """
import imageio_ffmpeg, tempfile, videohash
with tempfile.TemporaryDirectory() as folder:
    os.symlink(imageio_ffmpeg.get_ffmpeg_exe(), os.path.join(folder, "ffmpeg"))
    os.environ["PATH"] = folder + os.pathsep + os.environ["PATH"]
    start = spent()
    assert videohash.VideoHash(path=path).hash
"""

PEERS = {
    "vpdq, one hash a second": _HEAD + _VPDQ + _TAIL,
    "imagehash and OpenCV, every 0.25 s": _HEAD + _IMAGEHASH + _TAIL,
    "videohash": _HEAD + _VIDEOHASH + _TAIL,
}
