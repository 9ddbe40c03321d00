"""All alignments of two sequences at once: the diagonals of their comparison matrix, as columns."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Scalar = TypeVar("Scalar", bound=np.generic)


def skew_matrix(matrix: NDArray[Scalar], stride: int = 1) -> NDArray[Scalar]:
    """Row r of `matrix` belongs to element r × stride of the first sequence. Column c of the result holds the diagonal
    with shift `c - (rows - 1) × stride` (second minus first), rows in reverse, zeros outside.
    """
    rows, columns = matrix.shape
    width = columns + rows * stride
    padded = np.zeros((rows, width), matrix.dtype)
    padded[:, :columns] = matrix[::-1]
    return padded.ravel()[: rows * (width - stride)].reshape(rows, width - stride)


def diagonal_shifts(rows: int, columns: int, stride: int = 1) -> NDArray[np.int64]:
    return np.arange(columns + (rows - 1) * stride) - (rows - 1) * stride
