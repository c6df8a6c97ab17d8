"""The environment in the terminal, and the catalog's cards as a question: never as an answer (D4, F2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

from fiche.cli.attach_cards import cards_printing
from fiche.cli.terminal import clean, paragraph, table
from fiche.kernel.catalog import Card
from fiche.measure.protocol.found_rows import device_rows, environment_rows


def environment_text(document: Mapping[str, Any], output: Path | None = None) -> str:
    """Aligned rows: the machine, each device with its question, what is missing, what to do with it."""
    devices = document["environment"].get("devices", ())
    cards = _catalog() if devices else ()
    rows = list(environment_rows(dict(document)))
    for device in devices:
        rows += [("", ""), *_device_rows(document, device, cards)]
    if not devices:
        rows += [("", ""), ("Devices", "none")]
    text = "".join(line.rstrip() + "\n" for line in table(rows).splitlines())
    return text + _missing(document.get("missing", ())) + _afterwards(document, output)


def _device_rows(
    document: Mapping[str, Any], device: Mapping[str, Any], cards: Iterable[Card]
) -> list[tuple[str, str]]:
    """The question stands under what gives rise to it: the name and what the device declares."""
    rows = list(device_rows(dict(document), dict(device)))
    place = 2 if "total_memory_bytes" in device else 1
    return [*rows[:place], ("", question(device, cards)), *rows[place:]]


def _missing(told: Sequence[Mapping[str, str]]) -> str:
    """A command stands on a line of its own, however long, so that it can be copied."""
    text = "\nMissing\n" if told else ""
    for each in told:
        text += paragraph(each["what"], indent="  ") + clean(f"      {each['command']}\n")
    return text


def _afterwards(document: Mapping[str, Any], output: Path | None) -> str:
    if output is None:
        return ""
    named = (
        "" if "machine" in document else "; it names no machine: --machine ID, or machine: there"
    )
    hint = f"`fiche import {quote(str(output))} --to fiche.yaml` makes it a piece{named}"
    return clean(f"\n{output} is written\n") + paragraph(hint, indent="  ")


def _catalog() -> Iterable[Card]:
    from fiche.load.catalog import builtin_catalog

    return builtin_catalog().cards.values()


def question(device: Mapping[str, Any], cards: Iterable[Card]) -> str:
    """Which card a device may be, by its printed name: a question, for a name and a size prove no card."""
    return f"which card is it? {_alike(device['name'], device.get('total_memory_bytes'), cards)}"


def _alike(printed: str, total: int | None, cards: Iterable[Card]) -> str:
    named = cards_printing(printed, cards)
    fitting = [card for card in named if total is None or _may_be(card, total)]
    names = ", ".join(card.id for card in fitting or named)
    if not named:
        return "none of the catalog carries this name"
    if not fitting:
        return f"{names} carries this name, and its label is less than what this device declares"
    if len(fitting) == 1:
        return f"of the catalog, {names} carries this name"
    return f"of the catalog, {len(fitting)} cards carry this name: {names}"


def _may_be(card: Card, total: int) -> bool:
    """No device declares more than its label read in powers of two."""
    label = card.figures.get("nominal_binary")
    return label is None or total <= label.low
