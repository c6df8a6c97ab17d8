"""What may not go out: which levels of confidentiality are left out, and what is said of those that are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from fiche.archive.index_confided import KEPT_BACK
from fiche.cli.terminal import clean, put_message
from fiche.cli.usage import together, unknown
from fiche.kernel.diagnostic import Refused
from fiche.report.numbers import exact

_INTERNAL, _CONFIDENTIAL = KEPT_BACK


def kept_back(without: Sequence[str], *, with_confidential: bool) -> frozenset[str]:
    """The levels that are left out: confidential ones, unless somebody says otherwise.

    Raises:
        Refused: F701 a level is none that can be left out; F702 what is more confidential would go out alone.
    """
    words = [word.strip().lower() for word in without]
    wrong = next((word for word in words if word not in KEPT_BACK), None)
    if wrong is not None:
        raise Refused([unknown("confidentiality", wrong[:60], list(KEPT_BACK))])
    if with_confidential and words:
        message = f"--with-confidential and --without {words[0]}: what is confidential is more"
        raise Refused([together(message, "keep one of them")])
    return frozenset(words) | (frozenset() if with_confidential else {_CONFIDENTIAL})


def counted(levels: Mapping[str, int]) -> str:
    """`2 confidential entries and 1 internal entry`; nothing where there are none."""
    told = [
        f"{exact(levels[level])} {level} {'entry' if levels[level] == 1 else 'entries'}"
        for level in reversed(KEPT_BACK)
        if levels.get(level)
    ]
    return " and ".join(told)


def warn(within: Counter[str], where: str) -> None:
    """Say on the side what somebody who hands it on has to know."""
    told = counted(within)
    if not told:
        return
    hint = (
        "give it to nobody who may not see them"
        if within[_CONFIDENTIAL]
        else f"--without {_INTERNAL} leaves them out"
    )
    verb = "is" if sum(within[level] for level in KEPT_BACK) == 1 else "are"
    put_message(f"{told} {verb} in {clean(where)}: {hint}")
