"""Arrays of the types of the PostgreSQL extension simhash for psycopg 2, which returns them as text otherwise."""
from __future__ import annotations

from typing import Any

from psycopg2.extensions import INTEGER, STATUS_IN_TRANSACTION, UNICODE, new_array_type, quote_ident, register_type

__all__ = ["register_arrays"]

BIT_ARRAY_OID, VARBIT_ARRAY_OID = 1561, 1563


def register_arrays(db: Any, schema: str | None = None) -> None:
    """Lets a connection return lists. Elements are the digits of fingerprints and bit strings, or distances.

    The schema is that of the extension, if it is not in the search path. Without the extension nothing is registered.
    """
    name = "simhash" if schema is None else f"{quote_ident(schema, db)}.simhash"
    idle = db.status != STATUS_IN_TRANSACTION and not db.autocommit
    with db.cursor() as cursor:
        cursor.execute("""SELECT simhash.typarray, distance.typarray FROM pg_type simhash JOIN pg_type distance USING (typnamespace)
            WHERE simhash.oid = to_regtype(%s) AND distance.typname = 'hamming_distance'""", [name])
        for array, distances in cursor:
            register_type(new_array_type((array, BIT_ARRAY_OID, VARBIT_ARRAY_OID), "SIMHASHARRAY", UNICODE), db)
            register_type(new_array_type((distances,), "DISTANCEARRAY", INTEGER), db)
    if idle:
        db.rollback()
