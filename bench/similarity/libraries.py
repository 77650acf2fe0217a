#!/usr/bin/env python3
"""Finds all pairs of documents with a Jaccard index of at least 0.8 as Python's libraries do.

    libraries.py FEATURES.tsv WAY > PAIRS.tsv

A line of the file has the id and the different features of a document, separated by tabs. They are read before the clock
starts. WAY is

    datasketch   datasketch's own MinHash and MinHashLSH, as its documentation uses them: 128 permutations
    text-dedup   the steps of text-dedup's minhash.py in NumPy: signatures of 240 permutations by its embedding function, a
                 dictionary for each band, as in its releases without polars

and datasketch-18 has 18 bands of 7 rows, which find most pairs at 0.8, other than those that the libraries choose. Then
candidates are checked with Python's sets. Standard error gets a line "way <tab> step <tab>
seconds of processor time <tab> rows" for each step. It needs NumPy, SciPy, xxhash and datasketch.
"""
import sys
import time

import numpy as np
from scipy.integrate import quad
from xxhash import xxh3_64_intdigest

THRESHOLD = 0.8


def optimal_param(num_perm):
    """text-dedup's (and datasketch's) choice of bands and rows."""
    best = (float("inf"), 0, 0)
    for b in range(1, num_perm + 1):
        for r in range(1, num_perm // b + 1):
            fp = quad(lambda s: 1 - (1 - s ** r) ** b, 0, THRESHOLD)[0]
            fn = quad(lambda s: (1 - s ** r) ** b, THRESHOLD, 1)[0]
            best = min(best, (fp * 0.5 + fn * 0.5, b, r))
    return best[1:]


class TextDedup:
    def __init__(self):
        rng = np.random.RandomState(42)
        self.prime, self.low = np.uint64((1 << 61) - 1), np.uint64((1 << 32) - 1)
        self.bands, self.rows = optimal_param(240)
        self.a = rng.randint(1, self.prime, size=(240,), dtype=np.uint64)
        self.b = rng.randint(0, self.prime, size=(240,), dtype=np.uint64)

    def sketch(self, features):
        hashes = np.array([xxh3_64_intdigest(f, 42) & 0xFFFFFFFF for f in features], dtype=np.uint64)
        values = ((hashes.reshape(len(features), 1) * self.a + self.b) % self.prime & self.low).min(axis=0)
        return [bytes(values[i * self.rows:(i + 1) * self.rows].byteswap().data) for i in range(self.bands)]

    def candidates(self, sketches):
        pairs = set()
        for band in range(self.bands):
            table = {}
            for i, keys in enumerate(sketches):
                table.setdefault(keys[band], []).append(i)
            for members in table.values():
                pairs.update((x, y) for n, x in enumerate(members) for y in members[n + 1:])
        return pairs


class Datasketch:
    def __init__(self, bands):
        import datasketch
        self.empty = datasketch.MinHash(num_perm=128)
        self.lsh = datasketch.MinHashLSH(threshold=THRESHOLD, num_perm=128, params=bands)
        self.bands, self.rows = self.lsh.b, self.lsh.r

    def sketch(self, features):
        m = self.empty.copy()
        m.update_batch(features)
        return m

    def candidates(self, sketches):
        for i, m in enumerate(sketches):
            self.lsh.insert(i, m)
        return {(i, j) for i, m in enumerate(sketches) for j in self.lsh.query(m) if i < j}


def main():
    ids, documents = [], []
    with open(sys.argv[1], "rb") as file:
        for line in file:
            name, *features = line.rstrip(b"\n").split(b"\t")
            ids.append(int(name))
            documents.append(features)
    way = {"datasketch": lambda: Datasketch(None), "datasketch-18": lambda: Datasketch((18, 7)), "text-dedup": TextDedup}[sys.argv[2]]()
    clock = time.process_time()

    def step(what, rows):
        nonlocal clock
        now = time.process_time()
        print(sys.argv[2], what, now - clock, rows, sep="\t", file=sys.stderr)
        clock = time.process_time()

    sketches = [way.sketch(features) for features in documents]
    step(f"signatures, {way.bands} bands of {way.rows}", len(sketches))
    candidates = way.candidates(sketches)
    step("candidates", len(candidates))
    sets = {}
    pairs = []
    for x, y in sorted(candidates):
        for i in (x, y):
            if i not in sets:
                sets[i] = frozenset(documents[i])
        common = len(sets[x] & sets[y])
        if common >= THRESHOLD * (len(sets[x]) + len(sets[y]) - common):
            pairs.append((x, y))
    step("pairs", len(pairs))
    for x, y in pairs:
        print(*sorted((ids[x], ids[y])), sep="\t")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main()
