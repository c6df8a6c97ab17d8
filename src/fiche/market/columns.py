"""Any CSV or JSON lines: a person says which column is what, as templates (`price.amount={Price} EUR`).

Targets are the paths of the offers form, and three that only the import reads: `gpu_name` (a name to look up
in the catalog), `memory_of_card` and `memory_of_lot` (labels with their unit). Nothing is taken that no
template names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fiche.kernel.doors import Listing
from fiche.kernel.listing import Ask, Asked, Memory, Raw
from fiche.market._lines import flattened, objects_of_lines, refused
from fiche.market._numbers import number
from fiche.market._rows import cells

_FIELD = re.compile(r"\{([^{}]+)\}")
_AMOUNT = re.compile(r"([-+.\d eE]*?)\s*([A-Z]{3}(?: cents)?)")
_MEMORY = re.compile(r"([.\d]+)\s*(GB|GiB|MB|MiB|gib|gb)")
_UNITS = {"gib": "GiB", "gb": "GB"}
_OWN = ("gpu", "gpu_name", "cards_per_lot", "memory_of_card", "memory_of_lot", "seller")


def accepts(content: bytes, name: str) -> int:
    """Nothing by itself: somebody has to say what the columns are."""
    return 0


def read(content: bytes, asked: Asked) -> Iterator[Raw]:
    """One offer a row.

    Raises:
        Refused: F627 no template, or one that names a column that is not there.
    """
    if not asked.columns:
        hint = "say what is what: --map 'gpu_name={Model}' --map 'price.amount={Price} EUR'"
        raise refused("F627", "nobody says what the columns are", asked.file, 1, hint)
    for place, row in _rows(content, asked):
        yield _raw(place, row, asked) if row else _broken(place)


def _rows(content: bytes, asked: Asked) -> Iterator[tuple[str, dict[str, str]]]:
    named = tuple(field for told in asked.columns.values() for field in _FIELD.findall(told))
    if asked.file.endswith(".jsonl"):
        for line, row in objects_of_lines(content, asked.file):
            yield f"line {line}", {**dict.fromkeys(named, ""), **dict(flattened(row))}
        return
    yield from cells(content, asked.file, named)


def _broken(place: str) -> Raw:
    return Raw(place=place, broken=("", "", "it has more or fewer cells than the header"))


def _raw(place: str, row: dict[str, str], asked: Asked) -> Raw:
    told = {path: filled(template, row) for path, template in asked.columns.items()}
    amount = told.get("price.amount", "")
    read = _AMOUNT.fullmatch(amount)
    if amount and read is None:
        why = "it is no amount with a currency"
        return Raw(place=place, broken=("price.amount", amount, why))
    for path in _MEMORIES:
        if told.get(path) and _memory(told, path) is None:
            why = "it is no amount of memory with its unit, such as 24 GB or 24564 MiB"
            return Raw(place=place, broken=(path, told[path], why))
    return Raw(
        place=place,
        seller=told.get("seller", ""),
        name=told.get("gpu_name") or told.get("gpu", ""),
        name_column=_column(asked, "gpu_name"),
        count=told.get("cards_per_lot", ""),
        count_column=_column(asked, "cards_per_lot"),
        memory=tuple(_memories(told, asked)),
        asks=(_ask(told, read, asked),) if read is not None else (),
        told={path: text for path, text in told.items() if _taken(path)},
    )


def _taken(path: str) -> bool:
    return path not in _OWN and not path.startswith("price.")


def _ask(told: dict[str, str], read: re.Match[str], asked: Asked) -> Ask:
    return Ask(
        text=read[1].strip(),
        column=_column(asked, "price.amount"),
        covers=told.get("price.covers", ""),
        per=told.get("price.per", ""),
        told={"price.currency": read[2]},
    )


_MEMORIES = {"memory_of_card": "card", "memory_of_lot": "lot"}


def _memories(told: dict[str, str], asked: Asked) -> Iterator[Memory]:
    for path, of in _MEMORIES.items():
        found = _memory(told, path)
        if found is not None:
            text, unit = found
            yield Memory(text=text, unit=unit, column=_column(asked, path), kind="label", of=of)


def _memory(told: dict[str, str], path: str) -> tuple[str, str] | None:
    found = _MEMORY.fullmatch(told.get(path, ""))
    if found is None or number(found[1]) is None:
        return None
    return found[1], _UNITS.get(found[2], found[2])


def _column(asked: Asked, path: str) -> str:
    return ", ".join(_FIELD.findall(asked.columns.get(path, ""))) or path


def filled(template: str, row: dict[str, str]) -> str:
    """A template with the cells of a row; nothing where a cell that it names is empty."""
    fields = _FIELD.findall(template)
    if any(not row[field].strip() for field in fields):
        return ""
    return _FIELD.sub(lambda match: row[match[1]].strip(), template)


MEMBER = Listing(
    name="columns",
    title="any CSV or JSON lines, with columns that a person names",
    accepts=accepts,
    read=read,
)
