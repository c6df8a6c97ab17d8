"""What `fiche verify` found, for people: numbered steps, what each looked at, and how it came out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fiche.cli.terminal import cells, clean, paragraph
from fiche.cli.verifying import Verified
from fiche.verify.step import FAILED, OK, UNPROVEN, Point, Step
from fiche.verify.unproven import UNPROVEN as BEYOND

_WORDS = {OK: "ok", FAILED: "FAILED", UNPROVEN: "not provable here"}
_PAINT = {OK: "\x1b[32m", FAILED: "\x1b[1;31m", UNPROVEN: "\x1b[33m"}
_PLAIN, _BOLD = "\x1b[0m", "\x1b[1m"
_MOST = 10
_INDENT = "    "


def text(found: Verified, written: Sequence[str], *, columns: int, coloured: bool) -> str:
    """The whole of it; `written` are files that were put back."""
    parts = [*_reports(found, columns, coloured), *_beyond(columns), *_written(written)]
    return "".join([*parts, "\n", _answer(found, columns, coloured)])


def _reports(found: Verified, columns: int, coloured: bool) -> Iterator[str]:
    for name, looked in found.reports.items():
        bold, plain = (_BOLD, _PLAIN) if coloured else ("", "")
        shown = str(found.path) if found.folder is None else f"{found.path}/{name}"
        told = looked.container.document.get("tool")
        version = told.get("version") if isinstance(told, dict) else None
        yield f"{bold}{clean(shown)}{plain}, a report by fiche {clean(str(version or '(unknown)'))}\n\n"
        for number, step in enumerate(looked.steps, start=1):
            yield _step(str(number), step, columns, coloured)
        yield "\n"
    if found.folder is not None:
        yield f"{clean(str(found.path))}, the folder\n\n"
        yield _step("1", found.folder, columns, coloured) + "\n"


def _step(number: str, step: Step, columns: int, coloured: bool) -> str:
    unsigned = step.key == "signature" and step.outcome == OK and not step.bytes_covered
    word = "none" if unsigned else _WORDS[step.outcome]
    title = f"{number:>2}  {step.title}"
    dots = columns - cells(title) - len(word) - 2
    lead = f" {'.' * dots} " if dots > 0 else "  "
    painted = f"{_PAINT[step.outcome]}{word}{_PLAIN}" if coloured else word
    lines = [
        f"{title}{lead}{painted}\n",
        paragraph(step.looked_at, indent=_INDENT, columns=columns),
    ]
    shown = step.points[:_MOST]
    lines += [_point(point, columns) for point in shown]
    if len(step.points) > _MOST:
        lines.append(f"{_INDENT}- and {len(step.points) - _MOST} more\n")
    return "".join(lines)


def _point(point: Point, columns: int) -> str:
    told = f"- {point.code} {point.text}" if point.code else f"- {point.text}"
    lines = paragraph(told, indent=_INDENT, columns=columns).split("\n")
    return "\n".join([lines[0], *(f"  {line}" if line else "" for line in lines[1:])])


def _beyond(columns: int) -> Iterator[str]:
    yield "Not proven by any of this:\n"
    for told in BEYOND:
        yield _point(Point(told), columns - 2)


def _written(written: Sequence[str]) -> Iterator[str]:
    if written:
        yield "\nPut back, to be compiled again:\n"
        yield from (f"{_INDENT}{clean(name)}\n" for name in written)


def _answer(found: Verified, columns: int, coloured: bool) -> str:
    failed = sum(step.outcome == FAILED for step in found.steps)
    left = sum(step.outcome == UNPROVEN for step in found.steps)
    if failed:
        steps = "1 step fails" if failed == 1 else f"{failed} steps fail"
        told = f"Does not hold: {steps}. Do not rely on this report before that is explained."
    elif left:
        steps = "one step is" if left == 1 else f"{left} steps are"
        told = f"Holds as far as it could be looked at: {steps} not provable here, as said above."
    else:
        told = (
            "Holds: every verdict and number follows from the files inside, and the pages say so."
        )
    paint = _PAINT[found.outcome] if coloured else ""
    return f"{paint}{paragraph(told, columns=columns).rstrip()}{_PLAIN if coloured else ''}\n"
