"""Fields, indexes, constraints, lookups and functions of the PostgreSQL extension simhash for Django.

    class Page(models.Model):
        body = models.TextField()
        h = FingerprintField(null=True)

        class Meta:
            indexes = [SimhashIndex(fields=["body"], name="page_body"), SimhashIndex(fields=["h"], name="page_h")]
            constraints = [SimhashConstraint(name="page_apart", expressions=[("body", "~=")])]

    Page.objects.filter(body__near=text)
    Page.objects.filter(h__within=(fingerprint, 3))    # both may be expressions: (F("other"), F("radius"))
    Page.objects.annotate(distance=HammingDistance("h", fingerprint)).order_by("distance")[:10]

A migration's first operation is SimhashExtension().
"""
from __future__ import annotations

from typing import Any

from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.indexes import PostgresIndex
from django.contrib.postgres.operations import CreateExtension
from django.core.exceptions import ValidationError
from django.db.models import Field, Func, IntegerField, Lookup, Value

from ._values import Signature, binary_digits, digits, parse_binary_digits, unsigned

__all__ = ["FingerprintField", "HammingDistance", "SignatureField", "SimhashConstraint", "SimhashExtension", "SimhashIndex"]


class SimhashExtension(CreateExtension):  # type: ignore
    def __init__(self) -> None:
        self.name = "simhash"


class _SearchedField(Field):  # type: ignore
    empty_strings_allowed = False

    def to_python(self, value: Any) -> Any:
        try:
            return None if value is None else self._read(value)
        except (TypeError, ValueError) as error:
            raise ValidationError(str(error)) from error

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return None if value is None else self._read(value)

    def formfield(self, **options: Any) -> Any:
        return super().formfield(**{"empty_value": None, **options})

    # Forms show what they read.
    def value_from_object(self, instance: Any) -> Any:
        return self.get_prep_value(super().value_from_object(instance))


class FingerprintField(_SearchedField):
    """A column of type simhash: an unsigned number of 64 bits. Signed numbers and 16 hexadecimal digits are accepted."""

    description = "Fingerprint of 64 bits"

    def db_type(self, connection: Any) -> str:
        return "simhash"

    def get_prep_value(self, value: Any) -> Any:
        value = super().get_prep_value(value)
        return None if value is None else digits(value)

    @staticmethod
    def _read(value: Any) -> int:
        return unsigned(int(value, 16) if isinstance(value, str) else value)


class SignatureField(_SearchedField):
    """A column of type bit(n): a Signature. Bytes and binary digits are accepted."""

    description = "Signature of %(bits)s bits"

    def __init__(self, *arguments: Any, bits: int, **options: Any) -> None:
        self.bits = bits
        super().__init__(*arguments, **options)

    def deconstruct(self) -> Any:
        name, path, arguments, options = super().deconstruct()
        return name, path, arguments, {**options, "bits": self.bits}

    def db_type(self, connection: Any) -> str:
        return f"bit({self.bits})"

    def get_prep_value(self, value: Any) -> Any:
        value = super().get_prep_value(value)
        return None if value is None else binary_digits(value)

    @staticmethod
    def _read(value: Any) -> Signature:
        return value if isinstance(value, Signature) else parse_binary_digits(binary_digits(value))


def _plain(value: Any) -> Any:
    """What Django wraps in a Value has a type by its class in Python. The field knows better."""
    return value.value if isinstance(value, Value) else value


class HammingDistance(Func):  # type: ignore
    """The number of bits in which a field and a value are different: HammingDistance("h", fingerprint)."""

    arg_joiner = " <@> "
    template = "(%(expressions)s)"
    output_field = IntegerField()

    def __init__(self, field: Any, value: Any, **options: Any) -> None:
        value = _plain(value)
        if isinstance(value, int):
            value = digits(value)
        elif isinstance(value, (bytes, Signature)):
            value = binary_digits(value)
        super().__init__(field, Value(value) if isinstance(value, str) else value, **options)


@Field.register_lookup
class Near(Lookup):  # type: ignore
    """The operator ~=: body__near=text, h__near=fingerprint."""

    lookup_name = "near"

    def get_prep_lookup(self) -> Any:
        self.rhs = _plain(self.rhs)
        return super().get_prep_lookup()

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        left, left_parameters = self.process_lhs(compiler, connection)
        right, right_parameters = self.process_rhs(compiler, connection)
        return f"{left} ~= {right}", [*left_parameters, *right_parameters]


class _ValueAndRadius(Func):  # type: ignore
    """One expression of both: Django resolves those in it, also when a query becomes a subquery."""

    arg_joiner = " <= "
    template = "%(expressions)s"
    output_field = IntegerField()


class Within(Lookup):  # type: ignore
    """At most so many bits are different: h__within=(fingerprint, 3)."""

    lookup_name = "within"

    def get_prep_lookup(self) -> Any:
        value, radius = map(_plain, self.rhs)
        if not hasattr(value, "resolve_expression"):
            value = Value(self.lhs.output_field.get_prep_value(value))
        return _ValueAndRadius(value, radius if hasattr(radius, "resolve_expression") else Value(radius))

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        left, left_parameters = self.process_lhs(compiler, connection)
        right, right_parameters = compiler.compile(self.rhs)
        return f"{left} <@> {right}", [*left_parameters, *right_parameters]


FingerprintField.register_lookup(Within)
SignatureField.register_lookup(Within)


class SimhashIndex(PostgresIndex):  # type: ignore
    """An index of this access method, of texts, fingerprints, signatures or bigints. Its options are arguments."""

    suffix = "simhash"

    def __init__(self, *expressions: Any, options: dict[str, int] | None = None, **others: Any) -> None:
        self.options = dict(options or {})
        super().__init__(*expressions, **others)

    def deconstruct(self) -> Any:
        path, expressions, options = super().deconstruct()
        return path, expressions, {**options, "options": self.options} if self.options else options

    def get_with_params(self) -> list[str]:
        return [f"{name} = {value}" for name, value in self.options.items()]


class SimhashConstraint(ExclusionConstraint):  # type: ignore
    """A constraint that keeps near-duplicates out: expressions=[("body", "~=")]."""

    def __init__(self, *, name: str, expressions: Any, **options: Any) -> None:
        super().__init__(name=name, expressions=expressions, **options)
        self.index_type = "simhash"    # Django's own class takes GiST and SP-GiST alone

    def deconstruct(self) -> Any:
        path, arguments, options = super().deconstruct()
        options.pop("index_type", None)
        return path, arguments, options
