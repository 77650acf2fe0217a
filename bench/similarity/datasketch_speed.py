#!/usr/bin/env python3
"""Measures how fast datasketch makes min-hash sketches.

    bench/similarity/datasketch_speed.py FEATURES.tsv [PERMUTATIONS ...]

A line of the file has the features of a document, separated by tabs. They are read and encoded before the clock starts. One
row is printed for each number of permutations (default 128, 256 and 1024) and each way:

    update          feature by feature
    update_batch    all features of a document at once, by MinHash.generator

Both start from a copy of an empty sketch, so that no document pays for drawing the permutations. After SECONDS (an environment
variable, default 10) of processor time a measurement ends with the document that it is at.

It needs NumPy and SciPy (Debian: python3-numpy, python3-scipy), and datasketch (pip install datasketch, or PYTHONPATH).
Without datasketch, a NumPy program of the same algorithm is measured, and the rows say "numpy". CHECK=1 prints, instead, the
first document's minima.
"""
import hashlib
import os
import sys
import time

import numpy as np

try:
    import datasketch

    MinHash, LIBRARY = datasketch.MinHash, "datasketch"
except ImportError:
    LIBRARY = "numpy"

    class MinHash:
        prime, low32 = np.uint64((1 << 61) - 1), np.uint64((1 << 32) - 1)

        def __init__(self, num_perm):
            gen = np.random.RandomState(1)
            pairs = [(gen.randint(1, self.prime, dtype=np.uint64), gen.randint(0, self.prime, dtype=np.uint64))
                     for _ in range(num_perm)]
            self.a, self.b = np.array(pairs, dtype=np.uint64).T
            self.hashvalues = np.full(num_perm, self.low32)

        def copy(self):
            other = object.__new__(MinHash)
            other.a, other.b, other.hashvalues = self.a, self.b, self.hashvalues.copy()
            return other

        def update(self, feature):
            self.update_batch([feature])

        def update_batch(self, features):
            hashes = [int.from_bytes(hashlib.sha1(feature).digest()[:4], "little") for feature in features]
            h = np.array(hashes, dtype=np.uint64)[:, None]
            values = (h * self.a + self.b) % self.prime & self.low32
            self.hashvalues = np.minimum(self.hashvalues, values.min(axis=0))

        @classmethod
        def generator(cls, documents, num_perm):
            empty = cls(num_perm=num_perm)
            for features in documents:
                sketch = empty.copy()
                sketch.update_batch(features)
                yield sketch


def update(documents, num_perm):
    empty = MinHash(num_perm=num_perm)
    for features in documents:
        sketch = empty.copy()
        for feature in features:
            sketch.update(feature)
        yield sketch


def update_batch(documents, num_perm):
    return MinHash.generator(documents, num_perm=num_perm)


def measure(way, documents, num_perm, seconds):
    for _ in way(documents[:10], num_perm):  # warms up
        pass
    done = 0
    start = time.process_time()
    for _ in way(documents, num_perm):
        done += 1
        if time.process_time() - start > seconds:
            break
    elapsed = time.process_time() - start
    features = sum(map(len, documents[:done]))
    print(LIBRARY, way.__name__, num_perm, done, features, f"{elapsed:.2f}", f"{done / elapsed:.0f}",
          f"{features / elapsed:.0f}", sep="\t", flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        documents = [line.rstrip(b"\n").split(b"\t") for line in file if line != b"\n"]
    sizes = [int(size) for size in sys.argv[2:]] or [128, 256, 1024]
    if os.environ.get("CHECK"):
        for size in sizes:
            for way in (update, update_batch):
                print(LIBRARY, way.__name__, size, *next(iter(way(documents, size))).hashvalues, sep="\t")
        return
    print("library", "way", "permutations", "documents", "features", "seconds", "documents/s", "features/s", sep="\t")
    for size in sizes:
        for way in (update, update_batch):
            measure(way, documents, size, float(os.environ.get("SECONDS", "10")))


if __name__ == "__main__":
    main()
