"""What an import says at its end: how much was taken, and what was refused and why."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from fiche.cli.terminal import clean
from fiche.kernel.address import Span
from fiche.kernel.diagnostic import Diagnostic
from fiche.kernel.record import record
from fiche.render.visible import visible

_MOST = 20


@record
class Wrong:
    """One thing that was refused: the file as found, the code, the line where it is known."""

    file: str
    code: str
    line: int | None
    message: str
    hint: str

    @classmethod
    def of(cls, file: str, told: Diagnostic) -> Wrong:
        """Of a diagnostic; `file` is what was to be taken."""
        line = getattr(told.address, "line", None)
        within = told.address.file if isinstance(told.address, Span) else ""
        message = (
            f"{within}: {told.message}" if within and not file.endswith(within) else told.message
        )
        return cls(file=file, code=told.code, line=line, message=message, hint=told.hint)

    def json(self) -> dict[str, object]:
        """The same for programs."""
        keys = ("file", "code", "line", "message", "hint")
        return {key: getattr(self, key) for key in keys}


class Counts:
    """What became of all that was found, so far.

    `within` are files that no importer knows and that a fiche or a report brought with it. `otherwise` are
    entries of which another archive says something else. `left` is what was not looked at, since the work was
    stopped.
    """

    def __init__(self) -> None:
        self.is_made = False
        self.added: Counter[str] = Counter()
        self.there = self.within = self.otherwise = self.left = 0
        self.wrong: list[Wrong] = []

    def took(self, kind: str, *, is_new: bool) -> None:
        """Count one entry."""
        if is_new:
            self.added[kind] += 1
        else:
            self.there += 1


def import_text(counts: Counts, where: str, refused: Path | None) -> str:
    """A line a count, then what was refused."""
    return "".join(f"{clean(line)}\n" for line in _lines(counts, where, refused))


def _lines(counts: Counts, where: str, refused: Path | None) -> Iterator[str]:
    if counts.is_made:
        yield f"a new archive: {where}"
    kinds = ", ".join(f"{kind} {number}" for kind, number in sorted(counts.added.items()))
    yield f"added: {counts.added.total()}" + (f" ({kinds})" if kinds else "")
    if counts.there:
        yield f"there already: {counts.there}"
    if counts.otherwise:
        yield f"  said otherwise in the other archive, kept as here: {counts.otherwise}"
    if counts.within:
        yield f"kept with the fiche or the report that names it: {counts.within}"
    if counts.left:
        yield f"stopped: {counts.left} not looked at; the same command goes on from here"
    yield from _refused(counts.wrong, refused)


def _refused(wrong: Sequence[Wrong], refused: Path | None) -> Iterator[str]:
    """How much was refused by code, the first of it, and each hint once."""
    if not wrong:
        return
    codes = Counter(one.code for one in wrong)
    by_code = ", ".join(f"{code} {number}" for code, number in sorted(codes.items()))
    yield f"refused: {len({one.file for one in wrong})} ({by_code})"
    hints: set[str] = set()
    for one in wrong[:_MOST]:
        place = one.file if one.line is None else f"{one.file}:{one.line}"
        message = one.message.removeprefix(f"{one.file.rpartition('/')[2]}: ")
        yield f"  {visible(place)}: {one.code} {visible(message)}"
        if one.hint and one.hint not in hints:
            yield f"    hint: {visible(one.hint)}"
        hints.add(one.hint)
    if len(wrong) > _MOST:
        where = f"{refused} has" if refused is not None else "--refused FILE writes"
        yield f"  … and {len(wrong) - _MOST} more: {where} all of it"


def import_json(counts: Counts, where: str) -> dict[str, object]:
    """The same as one object."""
    return {
        "format": "fiche-archive-imported/1",
        "archive": where,
        "archive_made": counts.is_made,
        "added": dict(sorted(counts.added.items())),
        "there_already": counts.there,
        "said_otherwise": counts.otherwise,
        "kept_with_another": counts.within,
        "not_looked_at": counts.left,
        "refused": [one.json() for one in counts.wrong],
    }


def refused_lines(counts: Counts) -> bytes:
    """What was refused, one JSON object a line."""
    return b"".join(json.dumps(one.json()).encode("ascii") + b"\n" for one in counts.wrong)
