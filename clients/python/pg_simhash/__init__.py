"""Values of the PostgreSQL extension simhash, and their types for psycopg 3. See also pg_simhash.django, pg_simhash.sqlalchemy."""
from ._values import Fingerprint, Signature

__all__ = ["Fingerprint", "Signature", "register_simhash", "register_simhash_async"]

try:
    from ._psycopg import register_simhash, register_simhash_async
except ModuleNotFoundError as error:    # the other modules do without psycopg 3
    if error.name != "psycopg":
        raise
    __all__ = ["Fingerprint", "Signature"]
