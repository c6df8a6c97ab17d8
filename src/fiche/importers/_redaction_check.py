"""Does a redacted text say the same? Its figures are compared with those of the text as received."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from fiche.importers._redacted import Redacted, redacted, refuse_binary
from fiche.importers._refusal import refused
from fiche.kernel.address import Pointer
from fiche.kernel.doors import Reader
from fiche.kernel.figure import Figure
from fiche.kernel.piece import Capacity, Failure, Observation, Printed, Reading, Result, Run
from fiche.kernel.record import field_names

_FIGURES = (
    "failures",
    "observations",
    "planned",
    "capacities",
    "results",
    "counters",
    "runs",
    "duplicate_messages",
    "further",
)
_NOUNS = (Capacity, Failure, Figure, Observation, Printed, Result, Run)
# What a program printed in words: a name in it may be another one, and a figure is not.
_IN_WORDS = ("message", "facts", "origin", "by", "others_pointer")


def redacted_alike(text: bytes, sha256: str, name: str, kind: str, reader: Reader) -> Redacted:
    """The text redacted, after making sure that it still reads the same.

    Names go everywhere if that changes no figure, else only where something tells that they are names.

    Raises:
        Refused: F483 the bytes are no text; F484 whatever is replaced, a figure would change.
    """
    refuse_binary(text, sha256)
    wanted = list(figures(reader.read(text, sha256, name, kind)))
    for everywhere in (True, False):
        found = redacted(text, sha256, name, everywhere=everywhere)
        if found.text.count(b"\n") == text.count(b"\n") and wanted == _read(
            found, sha256, name, kind, reader
        ):
            return found
    message = "redacted, the file would no longer say the same figures"
    hint = "remove the names by hand, keeping the lines, and attach the result without --redact"
    raise refused("F484", message, sha256, hint=hint)


def _read(found: Redacted, sha256: str, name: str, kind: str, reader: Reader) -> list[object]:
    from fiche.kernel.diagnostic import Refused

    try:
        return list(figures(reader.read(found.text, sha256, name, kind)))
    except Refused:
        return []


def figures(reading: Reading) -> Iterator[object]:
    """Every number of a reading with what it is a number of and its place; no word that could name somebody."""
    yield reading.kind, reading.shape, reading.backend, sorted(reading.facts)
    for name in _FIGURES:
        yield from _numbers(getattr(reading, name), name)


def _numbers(value: object, path: str) -> Iterator[object]:
    if isinstance(value, Pointer):
        yield path, value.line, value.path
    elif isinstance(value, bool | int | Fraction) or value is None:
        yield path, value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _numbers(each, f"{path}.{key}" if _plain(path) else path)
    elif isinstance(value, list | tuple):
        yield path, len(value)
        for each in value:
            yield from _numbers(each, path)
    elif isinstance(value, _NOUNS):
        for name in field_names(value):
            if name not in _IN_WORDS:
                yield from _numbers(getattr(value, name), f"{path}.{name}")
    elif isinstance(value, str) and path.rpartition(".")[2] in _KEPT:
        yield path, value


# Words that are a program's own, whoever runs it.
_KEPT = (
    "counter",
    "scope",
    "stat",
    "unit",
    "rounding",
    "metric",
    "message_kind",
    "memory",
    "outcome",
)


def _plain(path: str) -> bool:
    """True where keys are a format's own; what a file makes keys of may be names."""
    return not path.startswith("further")
