"""Several devices: the words of a fiche's placement, those that are typed, and which device is asked about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fiche.cli.usage import together, unknown
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.simulate.placement.asked import SHARDINGS, Placement

_MOST_LOADED = "most-loaded"


def placement_of(typed: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """The words of the placement, and the rank; nothing where one device has all of it.

    Raises:
        Refused: F584 words that make no placement, or a rank that is none; F701, F702 usage.
    """
    found = {**told.get("words", {}).get("placement", {}), **typed_words(typed)}
    try:
        placed = Placement.of(found)
    except ValueError as error:
        raise Refused([_no_word(str(error), "")]) from None
    if placed.whole:
        alone = [f"--{name}" for name in ("rank", "sharding") if typed[name] not in (None, "none")]
        if alone:
            message = f"{', '.join(alone)}: there is one device"
            raise Refused([together(message, "say how many there are: --devices COUNT")])
        return {}
    rank = typed["rank"] or _MOST_LOADED
    _check_rank(rank, placed.devices)
    return {**found, "devices": placed.devices, "rank": rank}


def typed_words(typed: Mapping[str, Any]) -> dict[str, Any]:
    """The words that options say.

    Raises:
        Refused: F701 no such sharding; F702 a `--placement` without a value.
    """
    if typed["sharding"] is not None and typed["sharding"] not in SHARDINGS:
        raise Refused([unknown("sharding", typed["sharding"], SHARDINGS)])
    names = ("devices", "sharding", "tensor_parallel")
    found = {name: typed[name] for name in names if typed[name] is not None}
    for text in typed["placement"] or ():
        name, sign, value = text.partition("=")
        if not sign:
            raise Refused([together(f"'{text}' places nothing", "write it as NAME=VALUE")])
        value = value.strip()
        whole = value.isdecimal() and value.isascii() and len(value) <= _MOST_DIGITS
        found[name.strip().replace("-", "_")] = int(value) if whole else value
    return found


_MOST_DIGITS = 15


def _check_rank(rank: str, devices: int) -> None:
    if rank == _MOST_LOADED or (rank.isdecimal() and rank.isascii() and int(rank) < devices):
        return
    message = f"--rank: {rank[:60]!r} is none of {devices} devices"
    raise Refused([_no_word(message, f"say {_MOST_LOADED}, or a number from 0 to {devices - 1}")])


def _no_word(message: str, hint: str) -> Diagnostic:
    return Diagnostic(code="F584", message=message, address=None, hint=hint)
