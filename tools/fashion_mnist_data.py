"""Reads the Fashion-MNIST data set as Debian's package dataset-fashion-mnist lays it out.

Images come back as the bytes in the files (0 is background, 255 the brightest pixel) and labels
as the class numbers 0..9 in the order of CLASSES. Needs numpy alone, so that the trainer (which
has torch) and the recorder (which has onnxruntime) can share it.
"""

import gzip
import struct
from pathlib import Path

import numpy as np

DEFAULT_DIR = Path("/usr/share/datasets/fashion-mnist")

CLASSES = (
    "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
    "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot",
)  # fmt: skip


def read_idx(path):
    """The array in one gzipped IDX file of bytes: magic 00 00 08 rank, big-endian dims, data."""
    data = gzip.decompress(Path(path).read_bytes())
    zero, kind, rank = struct.unpack_from(">HBB", data)
    if zero != 0 or kind != 8:
        raise ValueError(f"{path}: not an IDX file of unsigned bytes")
    shape = struct.unpack_from(f">{rank}I", data, 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(shape)


def load(split, directory=DEFAULT_DIR):
    """(images uint8 [count, 28, 28], labels uint8 [count]) of split "train" or "t10k"."""
    directory = Path(directory)
    if not directory.is_dir():
        raise FileNotFoundError(
            f"{directory}: no Fashion-MNIST here; install the Debian package "
            "dataset-fashion-mnist or name its folder with --data"
        )
    images = read_idx(directory / f"{split}-images-idx3-ubyte.gz")
    labels = read_idx(directory / f"{split}-labels-idx1-ubyte.gz")
    return images, labels


def as_input(images):
    """What the model's input "image" takes: float32 [count, 1, 28, 28] of pixel / 255."""
    return images[:, None].astype(np.float32) / np.float32(255)
