"""Fingerprints and signatures as values in Python."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class Fingerprint(int):
    """A value of type simhash: an unsigned number of 64 bits."""

    def __new__(cls, *arguments: Any) -> Fingerprint:
        self = super().__new__(cls, *arguments)
        if not 0 <= self < 2**64:
            raise ValueError("a fingerprint is an unsigned number of 64 bits")
        return self


@dataclass(frozen=True)
class Signature:
    """A value of type bit(n): its bytes, the highest bit first, the last byte filled up with zeros."""

    data: bytes
    bits: int = -1    # all

    def __post_init__(self) -> None:
        data = bytes(self.data)
        bits = 8 * len(data) if self.bits == -1 else self.bits
        unused = 8 * len(data) - bits
        if not 0 <= unused < 8 or data[-1:] and data[-1] & ((1 << unused) - 1):
            raise ValueError("the bytes are not those of so many bits")
        object.__setattr__(self, "data", data)
        object.__setattr__(self, "bits", bits)

    def __bytes__(self) -> bytes:
        return self.data

    def __str__(self) -> str:
        return f"{int.from_bytes(self.data, 'big'):0{8 * len(self.data)}b}"[: self.bits]


def unsigned(value: int) -> int:
    """A number of 64 bits, signed or unsigned, as an unsigned one."""
    if not -(2**63) <= value < 2**64:
        raise ValueError("a fingerprint is a number of 64 bits")
    return value % 2**64


def digits(value: int | str) -> str:
    """The text of a simhash, 16 hexadecimal digits, of a number of 64 bits, signed or unsigned. Text is returned as it is."""
    return value if isinstance(value, str) else f"{unsigned(value):016x}"


def binary_digits(value: Signature | bytes | str) -> str:
    """The text of a bit(n). Bytes have their highest bit first. Text is returned as it is."""
    return value if isinstance(value, str) else str(value if isinstance(value, Signature) else Signature(value))


def parse_binary_digits(text: str) -> Signature:
    if text.strip("01"):
        raise ValueError("a signature is written in binary digits")
    size = (len(text) + 7) // 8
    return Signature(int(text.ljust(8 * size, "0") or "0", 2).to_bytes(size, "big"), len(text))
