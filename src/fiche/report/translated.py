"""A last pass over a report: texts of fiche's own that sections handed on are told in its language.

Sections quote conditions, labels and reasons without looking into them; here each that is a told text
(`kernel.said`) is said in the language of the report, and a day that stands alone is written its way.
What programs read stays as it is: the report's own date, and names by which places and numbers are found.
English reports pass through untouched.
"""

from __future__ import annotations

from typing import Any

from fiche.kernel.record import replace
from fiche.kernel.said import tell
from fiche.report import numbers
from fiche.report.parts import Code, Report, Words
from fiche.report.words._language import Language

# Signs that stand between parts, with the spaces that a language puts beside them.
_SIGNS = {": ": tell(": "), "; ": tell("; ")}
# Of programs: a day, a place in the page, a name in decision.json (which may look like a day).
_MACHINE = frozenset(
    {
        "date",
        "id",
        "anchor",
        "place",
        "candidate",
        "requirement",
        "figure",
        "piece",
        "to",
        "comment",
        "here",
    }
)


def translated(report: Report, language: Language) -> Report:
    """The same report with every told text in its language."""
    if language.message is None:
        return report
    done: dict[int, Any] = {}
    made: Report = _told(report, language, done)
    return made


def _told(thing: Any, language: Language, done: dict[int, Any]) -> Any:  # noqa: ANN401 - any part
    if isinstance(thing, str):
        told = language.told(_SIGNS.get(thing, thing))
        return numbers.dated(told, language.style)
    if isinstance(thing, tuple):
        return tuple(_told(each, language, done) for each in thing)
    if isinstance(thing, Code) and (day := numbers.dated(thing.text, language.style)) != thing.text:
        return Words(day)
    fields = getattr(type(thing), "__fields__", None)
    if fields is None or isinstance(thing, int):
        return thing
    if id(thing) not in done:
        new = {
            name: _told(getattr(thing, name), language, done)
            for name in fields
            if name not in _MACHINE
        }
        # The part itself is kept beside, so that its address is not given to another.
        done[id(thing)] = (thing, replace(thing, **new))
    return done[id(thing)][1]
