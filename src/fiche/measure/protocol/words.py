"""What a caller may say to a recorder: refused at the call, so that no record is unreadable weeks later.

The bounds are those of the record's schema. A number that is no whole one is never rounded (C2).
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Iterable, Mapping
from typing import Any

_PHASE_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
_FACT_NAME = re.compile(r"[a-z][A-Za-z0-9_]{0,59}")
_LARGEST = 2**63 - 1
_DEEPEST = 20
_KNOWN: set[str] = set()
_MOST_KNOWN = 10_000
_PASSES = (None, "first", "later")


class MisusedError(RuntimeError):
    """The recorder was called in an order that would make a record say what did not happen."""


def phase_word(name: Any) -> str:
    """The name of a phase.

    Raises:
        TypeError: it is no text.
        ValueError: it is no such name.
    """
    return _word(
        "the name of a phase", name, _PHASE_NAME, "a to z, 0 to 9 and _, from a letter, 60"
    )


def covered_words(names: Iterable[str] | None) -> list[str]:
    """Names of the phases that a loop goes through, each once.

    Raises:
        TypeError: one name instead of several, or no text.
        ValueError: one is no name of a phase.
    """
    if isinstance(names, str):
        raise TypeError(f"covers is a list of phases: write [{names!r}]")
    return list(dict.fromkeys(phase_word(name) for name in names or ()))


def pass_word(told: Any) -> str | None:
    """`first`, `later`, or None where the recorder tells by itself.

    Raises:
        ValueError: anything else.
    """
    if told not in _PASSES:
        raise ValueError(f"pass_ is 'first' or 'later', not {plain_text(told, 60)!r}")
    return None if told is None else str(told)


def dimension_words(told: Mapping[str, Any]) -> dict[str, int]:
    """Dimensions as exact counts, whoever's integers they are.

    Raises:
        TypeError: a value is no whole number.
        ValueError: a negative one, or no name of a dimension.
    """
    return {
        _known_or_word("the name of a dimension", name): (
            value if type(value) is int and 0 <= value <= _LARGEST else whole_word(str(name), value)
        )
        for name, value in told.items()
    }


def whole_word(name: str, value: Any) -> int:
    """A count: any integer from 0, NumPy's and PyTorch's too, but no truth value and no fraction.

    Raises:
        TypeError: it is no whole number.
        ValueError: it is negative, or beyond 2^63.
    """
    if isinstance(value, bool):
        raise TypeError(f"{name} is a whole number, not {value}")
    try:
        count = operator.index(value)
    except TypeError:
        kind = type(value).__name__
        raise TypeError(f"{name} is a whole number, not {plain_text(value, 60)} ({kind})") from None
    if not 0 <= count <= _LARGEST:
        raise ValueError(f"{name} is a whole number from 0 to 2^63 - 1, not {_shown(count)}")
    return count


def text_word(name: str, value: Any, most: int = 500) -> str:
    """A text that a record can hold.

    Raises:
        TypeError: it is no text.
        ValueError: it is empty, or too long.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} is a text, not {plain_text(value, 60)} ({type(value).__name__})")
    if not 0 < len(value) <= most:
        raise ValueError(f"{name} has 1 to {most} letters, not {len(value)}")
    return value


def id_word(name: str, value: Any, pattern: str) -> str:
    """An id of a catalog or of a site.

    Raises:
        TypeError: it is no text.
        ValueError: it is no such id.
    """
    return _word(name, value, re.compile(pattern + "{0,99}"), f"{pattern}, 100")


def fact_words(words: Mapping[str, Any], path: str = "workload", depth: int = 0) -> dict[str, Any]:
    """Nested words of a fiche: leaves are texts, whole numbers and truth values.

    Raises:
        TypeError: a leaf of another kind, such as None or a fraction.
        ValueError: a name, a text or a number that no record can hold.
    """
    if not isinstance(words, Mapping):
        raise TypeError(f"{path} is a dict of words, not {type(words).__name__}")
    if depth == _DEEPEST:
        raise ValueError(f"{path[:200]} is nested deeper than {_DEEPEST}")
    which = "letters, digits and _, from a small letter, 60"
    return {
        _word(f"a key of {path[:200]}", name, _FACT_NAME, which): _fact(
            f"{path}.{name}", value, depth
        )
        for name, value in words.items()
    }


def _fact(path: str, value: Any, depth: int) -> Any:
    if isinstance(value, Mapping):
        return fact_words(value, path, depth + 1)
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value if len(value) <= 2000 else text_word(path[:200], value, 2000)
    try:
        number = operator.index(value)
    except TypeError:
        kind = f"{plain_text(value, 60)} ({type(value).__name__})"
        raise TypeError(
            f"{path[:200]} is a text, a whole number, a truth value or a dict of those, not {kind}"
        ) from None
    if not -_LARGEST - 1 <= number <= _LARGEST:
        raise ValueError(f"{path[:200]} is a whole number of 64 bits, not {_shown(number)}")
    return number


_PLAN = {"kind", "variable", "value", "index", "of", "digest"}
_KINDS = ("repeat_process", "vary", "frontier", "campaign")


def plan_words(plan: Any) -> dict[str, Any]:
    """The place of a series among trials that were planned together.

    Raises:
        TypeError: no dict, a key that no plan has, a value of another kind.
        ValueError: a kind or a number that no plan has.
    """
    if not isinstance(plan, Mapping):
        raise TypeError(f"plan is a dict, not {type(plan).__name__}")
    wrong = [*map(str, set(plan) - _PLAN), *({"kind", "index"} - set(plan))]
    if wrong:
        raise TypeError(
            f"a plan has kind and index, and may have {', '.join(sorted(_PLAN))}: see {sorted(wrong)[0]}"
        )
    if plan["kind"] not in _KINDS:
        raise ValueError(f"the kind of a plan is one of {', '.join(_KINDS)}")
    counts = ("index", "of")
    return {
        key: whole_word(f"plan {key}", value) if key in counts else text_word(f"plan {key}", value)
        for key, value in plan.items()
    }


def noted_words(words: Mapping[str, Any]) -> dict[str, Any]:
    """Further words as JSON will hold them, whatever becomes of the caller's own objects.

    Raises:
        TypeError: something that JSON has no form for.
        ValueError: not a number, infinity, a circle, or nested too deep.
    """
    try:
        kept: dict[str, Any] = json.loads(json.dumps(dict(words), allow_nan=False))
    except RecursionError:
        raise ValueError("a note is nested too deep") from None
    return kept


def verdict_word(passed: Any) -> bool | None:
    """A truth value, a framework's too; None for what is neither true nor false, such as a text."""
    if passed is None or not hasattr(type(passed), "__bool__"):
        return None
    return bool(passed)


def plain_text(value: Any, most: int) -> str:
    """What `str` says, cut; a text about it where even that raises."""
    try:
        text = str(value)
    except Exception as error:  # noqa: BLE001 - a broken __str__ must not cost the phase
        return f"(its text cannot be had: {type(error).__name__})"
    return text[:most]


def _known_or_word(what: str, name: Any) -> str:
    """A loop names the same few phases and dimensions a million times."""
    if type(name) is str and name in _KNOWN:
        return name
    _word(what, name, _PHASE_NAME, "a to z, 0 to 9 and _, from a letter, 60")
    if len(_KNOWN) < _MOST_KNOWN:
        _KNOWN.add(name)
    return str(name)


def _word(what: str, value: Any, pattern: re.Pattern[str], rule: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{what} is a text, not {plain_text(value, 60)} ({type(value).__name__})")
    if pattern.fullmatch(value) is None:
        raise ValueError(f"{what} is made of {rule} at most: {value[:80]!r} is not")
    return value


def _shown(number: int) -> str:
    """Python refuses to print integers of many thousand digits."""
    return str(number) if number.bit_length() < 200 else f"one of {number.bit_length()} bits"
