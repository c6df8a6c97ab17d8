"""The device that a simulation stands in for, as far as somebody says it: memory, capability, allocator."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fiche.cli import running_words
from fiche.kernel import simulation_notes
from fiche.kernel.catalog import Card
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.number import Misread
from fiche.kernel.quantity import parse_bytes
from fiche.kernel.record import record
from fiche.simulate.allocator.settings import AllocatorSettings, SettingsError

_CAPABILITY = re.compile(r"[1-9][0-9]?\.[0-9]")
_COUNTER = "torch_total_memory"
_ASSUMED = "8.0"
# The variables that a fiche's allocator settings are, under any of its names.
_VARIABLE = "PYTORCH_CUDA_ALLOC_CONF"


@record
class Device:
    """What is told of the device, and by whom; `capacity_bytes` None is one without an end."""

    gpu: str = ""
    allocator: str = ""
    capacity_bytes: int | None = None
    capacity_by: str = ""
    capability: str = _ASSUMED
    capability_by: str = "assumed"


def device_of(typed: Mapping[str, Any], told: Mapping[str, Any]) -> Device:
    """The device of the options, and of the fiche's case where there is one.

    A capacity is what `--capacity` or `--gpu` says, never that of a fiche's candidate unasked: on a device that
    is too small the code would end there, and what it needs would stay unknown.

    Raises:
        Refused: F540 no id; F584 no such allocator setting or capability; F701 no such card; F2xx no amount.
    """
    named = running_words.identifier("--gpu", typed["gpu"] or "")
    card = _card(named, asked=True) if named else _card(told.get("gpu") or "", asked=False)
    capacity, capacity_by = _capacity(typed["capacity"], card if named else None)
    capability, capability_by = _capability(typed["capability"], card)
    return Device(
        gpu=named or told.get("gpu") or "",
        allocator=_allocator(typed["allocator"], told, capacity),
        capacity_bytes=capacity,
        capacity_by=capacity_by,
        capability=capability,
        capability_by=capability_by,
    )


def _card(name: str, *, asked: bool) -> Card | None:
    """The built-in card of that id; a fiche may name one of its own catalog, which tells nothing here."""
    from fiche.cli.cards import card_named, known_cards

    if not name:
        return None
    known = known_cards(())
    if not asked and name not in {card.id for card in known}:
        return None
    return card_named(name, known)


def _capacity(text: str | None, card: Card | None) -> tuple[int | None, str]:
    """Bytes, and who says so: the option; the least that a machine printed for the card; its label."""
    if text is not None:
        found = parse_bytes(text)
        if isinstance(found, Misread):
            message = f"--capacity: {found.message}"
            raise Refused(
                [Diagnostic(code=found.code, message=message, address=None, hint=found.hint)]
            )
        return int(found.value), "--capacity"
    if card is None:
        return None, ""
    printed = [seen.low for seen in card.sightings if seen.counter == _COUNTER]
    if printed:
        return min(printed), simulation_notes.sighted(_COUNTER, card.id)
    nominal = card.figures.get("nominal")
    if nominal is None:
        return None, ""
    return int(nominal.low), simulation_notes.labelled(card.id)


def _capability(text: str | None, card: Card | None) -> tuple[str, str]:
    if text is not None:
        if _CAPABILITY.fullmatch(text) is None:
            raise Refused([_no_word(f"--capability: {text[:60]!r} is none", "such as 8.0 or 9.0")])
        return text, "--capability"
    told = None if card is None else card.facts.get("compute_capability")
    if card is None or told is None or _CAPABILITY.fullmatch(told.value) is None:
        return _ASSUMED, "assumed"
    return told.value, simulation_notes.listed_for(card.id)


def _allocator(text: str | None, told: Mapping[str, Any], capacity: int | None) -> str:
    """The settings, known to be ones that can be replayed."""
    found = text if text is not None else told.get("environment_variables", {}).get(_VARIABLE, "")
    try:
        AllocatorSettings.of(found, capacity)
    except SettingsError as error:
        hint = "write what PYTORCH_CUDA_ALLOC_CONF would hold: expandable_segments:True"
        raise Refused([_no_word(f"allocator settings: {error}", hint)]) from None
    return str(found)


def _no_word(message: str, hint: str) -> Diagnostic:
    return Diagnostic(code="F584", message=message, address=None, hint=hint)
