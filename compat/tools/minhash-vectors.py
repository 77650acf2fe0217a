#!/usr/bin/env python3
"""Prints the vectors of test/sql/minhash_profiles.sql: minima as other libraries compute them, and keys of their bands.

    tools/minhash-vectors.py                 the vectors, as rows of VALUES
    tools/minhash-vectors.py --libraries     also compares them, and random sets, with each library that can be imported

It needs NumPy and xxhash (Debian: python3-numpy, python3-xxhash). The definitions are written down here a second time,
independently of src/profiles: the random numbers are NumPy's own, and SHA-1 is that of hashlib.
"""
import hashlib
import importlib
import random
import sys

import numpy as np
import xxhash


def sha1(feature, size):
    return int.from_bytes(hashlib.sha1(feature).digest()[:size], "little")


def xxh3_seeded(feature, seed):
    return xxhash.xxh3_64_intdigest(feature, seed) & 0xFFFFFFFF


def xxh3_top16(feature, seed):
    return int.from_bytes(xxhash.xxh3_128_digest(feature)[:2], "big")


M61 = (1 << 61) - 1
LOW32 = (1 << 32) - 1
ALL = (1 << 64) - 1
# name: hash, type of the arithmetic, modulus, mask, whether a and b are drawn in turn, default size, default seed
PROFILES = {
    "datasketch": (lambda f, s: sha1(f, 4), np.uint64, M61, LOW32, True, 128, 1),
    "text-dedup": (xxh3_seeded, np.uint64, M61, LOW32, False, 240, 42),
    "text-dedup-32": (xxh3_seeded, np.uint32, (1 << 32) - 5, LOW32, False, 240, 42),
    "text-dedup-16": (xxh3_top16, np.uint16, (1 << 16) - 15, 0xFFFF, False, 240, 42),
    "text-dedup-sha1": (lambda f, s: sha1(f, 4), np.uint64, M61, LOW32, False, 240, 42),
    "text-dedup-sha1-32": (lambda f, s: sha1(f, 4), np.uint32, (1 << 32) - 5, LOW32, False, 240, 42),
    "text-dedup-sha1-16": (lambda f, s: sha1(f, 2), np.uint16, (1 << 16) - 15, 0xFFFF, False, 240, 42),
    "datatrove": (lambda f, s: xxhash.xxh64_intdigest(f), np.uint64, M61, ALL, False, 112, 1),
    "datatrove-32": (lambda f, s: xxhash.xxh32_intdigest(f), np.uint64, M61, LOW32, False, 112, 1),
    "datatrove-sha1": (lambda f, s: sha1(f, 8), np.uint64, M61, ALL, False, 112, 1),
    "datatrove-sha1-32": (lambda f, s: sha1(f, 4), np.uint64, M61, LOW32, False, 112, 1),
}

SETS = [
    ["Hello"],
    [""],
    ["a", "b", "a", "a"],
    ["née", "東京", "🙂", "e\u0301"],
    "minhash is a probabilistic data structure for estimating the similarity between datasets".split(),
    # the lengths at which SHA-1 pads differently and XXH3 changes its method
    ["x" * n for n in (3, 8, 9, 16, 17, 55, 56, 63, 64, 65, 119, 120, 128, 129, 240, 241, 1000)],
]


def minima(profile, features, size=None, seed=None):
    hash_feature, word, prime, mask, in_turn, default_size, default_seed = PROFILES[profile]
    size = default_size if size is None else size
    seed = default_seed if seed is None else seed
    gen = np.random.RandomState(seed)
    if in_turn:
        pairs = [(gen.randint(1, prime, dtype=word), gen.randint(0, prime, dtype=word)) for _ in range(size)]
        a, b = (np.array(column, dtype=word) for column in zip(*pairs))
    else:
        a, b = (gen.randint(least, prime, size=size, dtype=word) for least in (1, 0))
    h = np.array([hash_feature(f.encode(), seed) for f in features], dtype=word)[:, None]
    with np.errstate(over="ignore"):
        values = (h * a + b) % word(prime) & word(mask & np.iinfo(word).max)
    return [int(v) for v in values.min(axis=0)]


# -- the libraries themselves --------------------------------------------------------------------------------


def datasketch_minima(profile, features, size, seed):
    library = importlib.import_module("datasketch")
    sketch, batch = (library.MinHash(num_perm=size, seed=seed) for _ in range(2))
    for feature in features:
        sketch.update(feature.encode())
    batch.update_batch([feature.encode() for feature in features])
    assert sketch == batch
    return sketch.hashvalues.tolist()


def text_dedup_minima(profile, features, size, seed):
    library = importlib.import_module("text_dedup.config.algorithms.minhash")
    parts = profile.split("-")[2:]
    bits = int(parts[-1]) if parts and parts[-1].isdigit() else 64

    class Given(library.MinHashAlgorithmConfig):
        def get_ngrams_func(self):
            return lambda content: {feature.encode() for feature in features}

    config = Given(algorithm_name="minhash", text_column="text", num_perm=size, threshold=0.7, bands=1, rows=size,
                   seed=seed, hash_bits=bits, hash_func_name="sha1" if "sha1" in parts else "xxh3")
    band = config.get_embed_func()([""], [0])["__band_val__"][0]
    return [int.from_bytes(band[i : i + bits // 8], "big") for i in range(0, len(band), bits // 8)]


def datatrove_minima(profile, features, size, seed):
    library = importlib.import_module("datatrove.pipeline.dedup.minhash")
    hashing = importlib.import_module("datatrove.utils.hashing")
    parts = profile.split("-")[1:]
    how = hashing.HashConfig(precision=32 if "32" in parts else 64, hash_fc="sha1" if "sha1" in parts else "xxhash")
    step = library.MinhashDedupSignature.__new__(library.MinhashDedupSignature)
    step.config = library.MinhashConfig(num_buckets=1, hashes_per_bucket=size, seed=seed, hash_config=how)
    step.num_hashes = size
    step._parameters = None
    hash_func = hashing.create_hash_func(how)
    shingles = np.fromiter([hash_func(feature) for feature in features], dtype=np.uint64).reshape((-1, 1))
    return step.get_signature(shingles)[0]


LIBRARIES = {"datasketch": datasketch_minima, "text-dedup": text_dedup_minima, "datatrove": datatrove_minima}


def compare():
    rng = random.Random(7)
    sets = [(s, n) for s in SETS for n in (None, 5)]
    for _ in range(40):
        words = ["".join(chr(rng.choice((97, 98, 0xE9, 0x6771))) for _ in range(rng.randrange(1, 300)))
                 for _ in range(rng.randrange(1, 50))]
        sets.append((words, rng.randrange(1, 300)))
    for library, function in LIBRARIES.items():
        try:
            function(next(p for p in PROFILES if p.startswith(library)), ["x"], 1, 1)
        except ImportError as error:
            print(f"{library}: not compared ({error})", file=sys.stderr)
            continue
        for profile in (p for p in PROFILES if p.startswith(library)):
            for words, size in sets:
                size = size or PROFILES[profile][5]
                seed = rng.choice((PROFILES[profile][6], 0, rng.randrange(1 << 32)))
                expected = [int(v) for v in function(profile, words, size, seed)]
                assert minima(profile, words, size, seed) == expected, (profile, words, size, seed)
            print(f"{profile}: {len(sets)} sets agree with the library", file=sys.stderr)


def split_mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & ALL
    z = (z ^ z >> 27) * 0x94D049BB133111EB & ALL
    return z ^ z >> 31


def bands(values, rows):
    """The keys of minhash_bands."""
    step, keys = 0x9E3779B97F4A7C15, []
    for band in range(len(values) // rows):
        key = split_mix((band + 1) * step & ALL)
        for value in values[band * rows : (band + 1) * rows]:
            key = split_mix((key ^ value) + step & ALL)
        keys.append(key - (1 << 64) if key >> 63 else key)
    return keys


def array(numbers):
    return "'{" + ",".join(map(str, numbers)) + "}'"


def main():
    if "--libraries" in sys.argv[1:]:
        compare()
    print("-- five minima of each set")
    for profile in PROFILES:
        for n, features in enumerate(SETS, 1):
            print(f"    ('{profile}', {n}, {array(minima(profile, features, 5))}),")
    print("-- all minima, in two bands, of set 5")
    for profile in PROFILES:
        values = minima(profile, SETS[4])
        print(f"    ('{profile}', {len(values)}, {array(bands(values, len(values) // 2))}),")
    print("-- another seed, all minima, in two bands, of set 5")
    for profile in PROFILES:
        values = minima(profile, SETS[4], 4096, 4294967295)
        print(f"    ('{profile}', 4096, {array(bands(values, 2048))}),")


if __name__ == "__main__":
    main()
