"""Types of the PostgreSQL extension simhash for SQLAlchemy, and their place in Alembic's migrations.

    page = Table("page", metadata, Column("h", Simhash), Column("sig", Bits(256)))
    Index("page_h", page.c.h, postgresql_using="simhash")
    select(page).where(page.c.h.within(0x9E3779B97F4A7C15, 3)).order_by(page.c.h.distance(0x9E3779B97F4A7C15))

Arrays, such as ARRAY(Simhash) or those of distances, need a driver that reads them: psycopg 2 after
event.listen(engine, "connect", lambda db, _: pg_simhash.psycopg2.register_arrays(db)).
"""
from __future__ import annotations

from typing import Any, Callable

from sqlalchemy import Integer
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.types import UserDefinedType

from ._values import binary_digits, digits, parse_binary_digits

__all__ = ["Bits", "Simhash", "render_item"]


class _Searched(UserDefinedType):  # type: ignore
    _write: Callable[[Any], str]
    _read: Callable[[str], Any]

    class comparator_factory(UserDefinedType.Comparator):  # type: ignore
        def distance(self, other: Any) -> Any:
            """The Hamming distance, for ORDER BY and comparisons."""
            return self.op("<@>", return_type=Integer())(other)

        def within(self, other: Any, radius: Any) -> Any:
            """At most so many bits are different: a condition for which an index is searched."""
            return self.distance(other) <= radius

        def near(self, other: Any) -> Any:
            """The operator ~=."""
            return self.bool_op("~=")(other)

    def bind_processor(self, dialect: Any) -> Any:
        write = type(self)._write
        return lambda value: None if value is None else write(value)

    def literal_processor(self, dialect: Any) -> Any:
        write = type(self)._write
        return lambda value: "'" + write(value).replace("'", "''") + "'"

    def result_processor(self, dialect: Any, coltype: Any) -> Any:
        read = type(self)._read
        return lambda value: read(value) if isinstance(value, str) else value


class Simhash(_Searched):
    """A column of type simhash: an unsigned number of 64 bits. Signed numbers and 16 hexadecimal digits are accepted."""

    cache_ok = True    # is not inherited
    _write = staticmethod(digits)
    _read = staticmethod(lambda text: int(text, 16))

    def get_col_spec(self, **options: Any) -> str:
        return "simhash"


class Bits(_Searched):
    """A column of type bit(n): a Signature. Bytes and binary digits are accepted."""

    cache_ok = True
    _write = staticmethod(binary_digits)
    _read = staticmethod(parse_binary_digits)

    def __init__(self, length: int) -> None:
        self.length = length

    def get_col_spec(self, **options: Any) -> str:
        return f"bit({self.length})"


ischema_names["simhash"] = Simhash    # for reflection


def render_item(kind: str, item: Any, context: Any) -> Any:
    """Lets a migration import what it names: context.configure(…, render_item=pg_simhash.sqlalchemy.render_item)."""
    if kind != "type" or not isinstance(item, _Searched):
        return False
    context.imports.add("import pg_simhash.sqlalchemy")
    return f"pg_simhash.sqlalchemy.{item!r}"
