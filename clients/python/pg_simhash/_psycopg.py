"""Types of the PostgreSQL extension simhash for psycopg 3."""
from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection, Connection, ProgrammingError, sql
from psycopg.abc import Buffer
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo
from psycopg.types.numeric import Int4BinaryLoader, IntLoader

from ._values import Fingerprint, Signature, parse_binary_digits

BIT_OID, VARBIT_OID = 1560, 1562


class FingerprintDumper(Dumper):
    def dump(self, value: Fingerprint) -> bytes:
        return b"%016x" % value


class FingerprintBinaryDumper(FingerprintDumper):
    format = Format.BINARY

    def dump(self, value: Fingerprint) -> bytes:
        return value.to_bytes(8, "big")


class FingerprintLoader(Loader):
    def load(self, data: Buffer) -> Fingerprint:
        return Fingerprint(bytes(data), 16)


class FingerprintBinaryLoader(FingerprintLoader):
    format = Format.BINARY

    def load(self, data: Buffer) -> Fingerprint:
        return Fingerprint.from_bytes(data, "big")


class SignatureDumper(Dumper):
    oid = VARBIT_OID    # a ClientCursor writes the type behind the value, and bit is one bit there

    def dump(self, value: Signature) -> bytes:
        return str(value).encode()


class SignatureBinaryDumper(SignatureDumper):
    format = Format.BINARY
    oid = BIT_OID

    def dump(self, value: Signature) -> bytes:
        return value.bits.to_bytes(4, "big") + value.data


class SignatureLoader(Loader):
    def load(self, data: Buffer) -> Signature:
        return parse_binary_digits(bytes(data).decode())


class SignatureBinaryLoader(SignatureLoader):
    format = Format.BINARY

    def load(self, data: Buffer) -> Signature:
        return Signature(bytes(data[4:]), int.from_bytes(data[:4], "big"))


def register_simhash(db: Connection[Any], schema: str | None = None) -> None:
    """Registers the types on a connection. The schema is that of the extension, if it is not in the search path."""
    _register(db, *[TypeInfo.fetch(db, name) for name in _names(schema)])


async def register_simhash_async(db: AsyncConnection[Any], schema: str | None = None) -> None:
    """Does the same on an AsyncConnection."""
    _register(db, *[await TypeInfo.fetch(db, name) for name in _names(schema)])


def _names(schema: str | None) -> list[sql.Identifier]:
    return [sql.Identifier(*([] if schema is None else [schema]), name) for name in ("simhash", "hamming_distance")]


def _register(db: Connection[Any] | AsyncConnection[Any], info: TypeInfo | None, distance: TypeInfo | None) -> None:
    if info is None or distance is None:
        raise ProgrammingError("there is no type simhash: CREATE EXTENSION simhash, or name its schema")
    info.register(db)
    # The server sends a domain as its base type, except in arrays.
    distance.register(db)
    db.adapters.register_loader(distance.oid, IntLoader)
    db.adapters.register_loader(distance.oid, Int4BinaryLoader)
    # Each database has an OID of its own. Of two dumpers, the last one is preferred.
    for dumper in (FingerprintDumper, FingerprintBinaryDumper):
        db.adapters.register_dumper(Fingerprint, type(dumper.__name__, (dumper,), {"oid": info.oid}))
    for signature_dumper in (SignatureDumper, SignatureBinaryDumper):
        db.adapters.register_dumper(Signature, signature_dumper)
    for loader in (FingerprintLoader, FingerprintBinaryLoader):
        db.adapters.register_loader(info.oid, loader)
    for oid in (BIT_OID, VARBIT_OID):
        for signature_loader in (SignatureLoader, SignatureBinaryLoader):
            db.adapters.register_loader(oid, signature_loader)
