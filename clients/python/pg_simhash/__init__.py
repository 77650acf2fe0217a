"""Types of the PostgreSQL extension simhash for psycopg 3."""
from dataclasses import dataclass
from typing import Optional

from psycopg import ProgrammingError, sql
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo

__all__ = ["Fingerprint", "Signature", "register_simhash", "register_simhash_async"]

BIT_OID, VARBIT_OID = 1560, 1562


class Fingerprint(int):
    """A value of type simhash: an unsigned number of 64 bits."""

    def __new__(cls, *arguments):
        self = super().__new__(cls, *arguments)
        if not 0 <= self < 2**64:
            raise ValueError("a fingerprint is an unsigned number of 64 bits")
        return self


@dataclass(frozen=True)
class Signature:
    """A value of type bit(n): its bytes, the highest bit first, the last byte filled up with zeros."""

    data: bytes
    bits: Optional[int] = None

    def __post_init__(self):
        data = bytes(self.data)
        bits = 8 * len(data) if self.bits is None else self.bits
        unused = 8 * len(data) - bits
        if not data or not 0 <= unused < 8 or data[-1] & ((1 << unused) - 1):
            raise ValueError("the bytes are not those of so many bits")
        object.__setattr__(self, "data", data)
        object.__setattr__(self, "bits", bits)

    def __bytes__(self):
        return self.data

    def __str__(self):
        return f"{int.from_bytes(self.data, 'big'):0{8 * len(self.data)}b}"[: self.bits]


class FingerprintDumper(Dumper):
    def dump(self, value):
        return b"%016x" % value


class FingerprintBinaryDumper(Dumper):
    format = Format.BINARY

    def dump(self, value):
        return value.to_bytes(8, "big")


class FingerprintLoader(Loader):
    def load(self, data):
        return Fingerprint(bytes(data), 16)


class FingerprintBinaryLoader(Loader):
    format = Format.BINARY

    def load(self, data):
        return Fingerprint.from_bytes(data, "big")


class SignatureDumper(Dumper):
    oid = VARBIT_OID    # a ClientCursor writes the type behind the value, and bit is one bit there

    def dump(self, value):
        return str(value).encode()


class SignatureBinaryDumper(Dumper):
    format = Format.BINARY
    oid = BIT_OID

    def dump(self, value):
        return value.bits.to_bytes(4, "big") + value.data


class SignatureLoader(Loader):
    def load(self, data):
        size = (len(data) + 7) // 8
        return Signature((int(bytes(data), 2) << 8 * size - len(data)).to_bytes(size, "big"), len(data))


class SignatureBinaryLoader(Loader):
    format = Format.BINARY

    def load(self, data):
        return Signature(bytes(data[4:]), int.from_bytes(data[:4], "big"))


def register_simhash(db, schema=None):
    """Registers the types on a connection. The schema is that of the extension, if it is not in the search path."""
    _register(db, TypeInfo.fetch(db, _name(schema)))


async def register_simhash_async(db, schema=None):
    """Does the same on an AsyncConnection."""
    _register(db, await TypeInfo.fetch(db, _name(schema)))


def _name(schema):
    return sql.Identifier("simhash") if schema is None else sql.Identifier(schema, "simhash")


def _register(db, info):
    if info is None:
        raise ProgrammingError("there is no type simhash: CREATE EXTENSION simhash, or name its schema")
    info.register(db)
    # Each database has an OID of its own. Of two dumpers, the last one is preferred.
    for dumper in (FingerprintDumper, FingerprintBinaryDumper):
        db.adapters.register_dumper(Fingerprint, type(dumper.__name__, (dumper,), {"oid": info.oid}))
    for dumper in (SignatureDumper, SignatureBinaryDumper):
        db.adapters.register_dumper(Signature, dumper)
    for oid, loaders in ((info.oid, (FingerprintLoader, FingerprintBinaryLoader)),
                         (BIT_OID, (SignatureLoader, SignatureBinaryLoader)),
                         (VARBIT_OID, (SignatureLoader, SignatureBinaryLoader))):
        for loader in loaders:
            db.adapters.register_loader(oid, loader)
