"""Matrix products that stay on the calling thread.

Linear algebra libraries split larger products among threads, which spin while they wait for each other. The products
here are small, and on busy cores the waiting costs ten times the work.
"""

from math import isqrt

import numpy as np
from numpy.typing import NDArray

MAX_SINGLE_THREAD_PRODUCTS = 1 << 18  # multiplications; the library splits larger products among threads


def multiply_transposed(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    """Compute a times b transposed, tile by tile."""
    side = max(1, isqrt(MAX_SINGLE_THREAD_PRODUCTS // max(1, a.shape[1])))
    out = np.empty((len(a), len(b)), np.float32)
    for top in range(0, len(a), side):
        for left in range(0, len(b), side):
            np.matmul(a[top : top + side], b[left : left + side].T, out=out[top : top + side, left : left + side])
    return out
