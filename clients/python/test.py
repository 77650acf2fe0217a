# Needs a database with the extension simhash; PGHOST and the like say where. Prints "passed".
import asyncio

import psycopg
from pg_simhash import Fingerprint, Signature, register_simhash, register_simhash_async

IMAGE = Signature(bytes(range(32)))
VALUES = [Fingerprint(0), Fingerprint(1), Fingerprint(2**63), Fingerprint(2**64 - 1), None,
          IMAGE, Signature(b""), [Signature(b""), None], Signature(b"\x80", 1), Signature(b"\xff\xf0", 12), [Fingerprint(5), None, Fingerprint(2**64 - 2)], [IMAGE, None]]


def raises(error, function, *arguments):
    try:
        function(*arguments)
    except error as raised:
        return str(raised)
    raise AssertionError(f"{function} raises nothing")


def kinds(value):
    return [type(item) for item in value] if isinstance(value, list) else type(value)


with psycopg.connect() as db:
    register_simhash(db)
    assert db.info.transaction_status == psycopg.pq.TransactionStatus.IDLE    # as a pool requires
    for value in VALUES:
        for placeholder in ("%s", "%t", "%b"):
            for binary in (False, True):
                found = db.cursor(binary=binary).execute(f"SELECT {placeholder}", [value]).fetchone()[0]
                assert found == value and kinds(found) == kinds(value), (value, placeholder, binary, found)
        found = psycopg.ClientCursor(db).execute("SELECT %s", [value]).fetchone()[0]
        assert found == value, (value, found)
    for binary in (False, True):
        found = db.cursor(binary=binary).execute("SELECT ''::varbit, B''").fetchone()
        assert found == (Signature(b""), Signature(b"")), found
    assert db.execute("SELECT %s::text, %s::text", [Fingerprint(255), Signature(b"\xa0", 3)]).fetchone() == ("00000000000000ff", "101")

    # Both types are those of the operators, and an index is used.
    db.execute("CREATE TEMP TABLE item (id int, h simhash, sig bit(256))")
    for format in ("text", "binary"):
        with db.cursor().copy(f"COPY item FROM STDIN (FORMAT {format})") as copy:
            if format == "binary":
                copy.set_types(["int4", "simhash", "bit"])
            for id in range(100):
                copy.write_row((id, Fingerprint(id * 0x9E3779B97F4A7C15 % 2**64), Signature(bytes([id] * 32))))
    for binary in (False, True):
        distances = "SELECT array_append(array_agg(h <@> %s ORDER BY id), NULL) FROM item WHERE id < 2"
        assert db.cursor(binary=binary).execute(distances, [Fingerprint(7)]).fetchone()[0] == [3, 3, 37, 37, None]
    db.execute("CREATE INDEX ON item USING simhash (h)")
    db.execute("CREATE INDEX ON item USING simhash (sig)")
    db.execute("SET enable_seqscan = off")
    for condition, value in (("h <@> %s <= 3", Fingerprint(0x9E3779B97F4A7C15 ^ 5)), ("sig <@> %s <= 1", Signature(b"\1" * 31 + b"\3"))):
        for cursor in (db.cursor(), psycopg.ClientCursor(db)):
            assert cursor.execute(f"SELECT id FROM item WHERE {condition}", [value]).fetchall() == [(1,), (1,)]
            plan = cursor.execute(f"EXPLAIN SELECT id FROM item WHERE {condition}", [value]).fetchall()
            assert "Index Cond" in str(plan), plan
    assert bytes(db.execute("SELECT sig FROM item WHERE id = 7").fetchone()[0]) == b"\7" * 32

    # In another schema, which has another OID for the type.
    db.execute("CREATE SCHEMA other")
    db.execute("DROP EXTENSION simhash CASCADE")
    db.execute("CREATE EXTENSION simhash SCHEMA other")
    raises(psycopg.ProgrammingError, register_simhash, db)
    register_simhash(db, schema="other")
    assert db.execute("SELECT %s", [Fingerprint(7)]).fetchone() == (7,)
    db.rollback()

    # What has no type of its own is refused: see doc/drivers.md.
    for value, message in ((b"\0" * 32, "operator does not exist: bit <@> bytea"), ("0f" * 32, '"f" is not a valid binary digit')):
        error = raises(psycopg.Error, db.execute, "SELECT sig <@> %s FROM photo", [value])
        assert message in error, error
        db.rollback()

for value in (-1, 2**64):
    raises(ValueError, Fingerprint, value)
for arguments in ((b"", 1), (b"\0", 9), (b"\0\0", 8), (b"\1", 7)):
    raises(ValueError, Signature, *arguments)


async def asynchronous():
    async with await psycopg.AsyncConnection.connect() as db:
        await register_simhash_async(db)
        found = await db.execute("SELECT %s, %s", [Fingerprint(7), IMAGE])
        assert await found.fetchone() == (7, IMAGE)
        found = await db.execute("SELECT ARRAY[%s <@> %s]", [Fingerprint(7), Fingerprint(8)])
        assert await found.fetchone() == ([4],)


asyncio.run(asynchronous())
print("passed")
