"""Names of devices in few letters: `cuda:0` to `cuda:7` in a row are one range."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NUMBERED = re.compile(r"(.*?)(\d+)")
# Two names are as short as their range.
_FEW = 3


def ranged(names: Iterable[str]) -> list[str]:
    """The names in their order; three or more that count up by one are told as `cuda:0–7`."""
    runs: list[list[str]] = []
    for name in names:
        if runs and _follows(runs[-1][-1], name):
            runs[-1].append(name)
        else:
            runs.append([name])
    return [one for run in runs for one in _told(run)]


def _told(run: list[str]) -> list[str]:
    if len(run) < _FEW:
        return run
    _, last = _split(run[-1]) or ("", "")
    return [f"{run[0]}–{last}"]


def _follows(before: str, name: str) -> bool:
    one, other = _split(before), _split(name)
    return (
        one is not None
        and other is not None
        and one[0] == other[0]
        and int(other[1]) == int(one[1]) + 1
    )


def _split(name: str) -> tuple[str, str] | None:
    found = _NUMBERED.fullmatch(name)
    return (found[1], found[2]) if found else None
