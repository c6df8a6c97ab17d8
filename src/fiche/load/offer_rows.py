"""Offers that stand in rows (CSV, JSON lines): the named ones as trees, or one text under one path (F7)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from collections.abc import Mapping as Mapping_

from fiche.kernel.address import Span
from fiche.kernel.catalog import Offer
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.load.fault import Faults, refused
from fiche.load.node import Entry, Mapping, Node, Scalar, Sequence
from fiche.load.offers import offer
from fiche.load.schema import check
from fiche.load.source import Source
from fiche.load.tree import parse

# Paths that hold several words; a cell has them with blanks between.
LISTS = frozenset({"could_be"})
_STANDING = {"id": "row", "seller": "the seller", "kind": "rent", "gpu": "card"}
_PLAIN = ("offers", "cards_per_lot", "lots_max", "min_order", "interruptible", "stock")


def is_rows(name: str) -> bool:
    """True for a file of offers with one offer a row."""
    return name.lower().endswith((".csv", ".jsonl"))


def offers_named(root: Mapping) -> frozenset[str]:
    """The ids of offers that a fiche names: of candidates, and in the scopes of pieces."""
    told = [node.text("offer") for node in root.each("candidates")]
    told += [node.mapping("scope").text("offer") for node in root.each("pieces")]
    return frozenset(filter(None, told))


def cell(path: str, text: str) -> tuple[Mapping_[str, Figure], Mapping_[str, Fact]]:
    """What one text under one path says, as the loader of offers reads it.

    Raises:
        Refused: it has no single reading.
    """
    place = Span(file="", line=1, column=1)
    row = node_of({**_STANDING, path: text}, place)
    faults = Faults()
    found = offer(row, faults)
    faults.stop()
    return found.figures, found.facts


def checked_offer(file: str, line: int, told: Mapping_[str, str] | str) -> Offer:
    """An offer of one row: paths and texts of a CSV, or the text of a JSON line.

    Raises:
        Refused: it is not what the schema of offers says.
    """
    place = Span(file=file, line=line, column=1)
    row = _json_row(file, line, told) if isinstance(told, str) else node_of(told, place)
    faults = Faults()
    (checked,) = _checked(place, (row,)).each("list")
    found = offer(checked, faults)
    faults.stop()
    return found


def rows_tree(one: Source, names: Collection[str] | None) -> Mapping:
    """The rows of these ids (all, where no names are given) as the tree that a YAML file of them would be.

    Raises:
        Refused: a row cannot be read, or is not what the schema of offers says.
    """
    return _checked(one.span(0), tuple(named_rows(one, names)))


def _checked(place: Span, rows: tuple[Node, ...]) -> Mapping:
    faults = Faults()
    root = Mapping(
        place,
        {
            "offers": Entry(_scalar("offers", place), _value("offers", "1", place)),
            "list": Entry(_scalar("list", place), Sequence(place, rows)),
        },
    )
    check(root, "offers", faults)
    faults.stop()
    return root


def _json_row(file: str, line: int, text: str) -> Node:
    """JSON is YAML; the text starts on this line."""
    return parse(Source(file, b"", text, (0,) * line))


def named_rows(one: Source, names: Collection[str] | None) -> Iterator[Mapping]:
    """The rows of these ids as trees, in the order of the file; all of them where no names are given.

    Raises:
        Refused: F621 a row cannot be read, F628 the header lacks a column.
    """
    rows = _of_lines(one, names) if one.file.lower().endswith(".jsonl") else _of_csv(one, names)
    yield from rows


def _of_lines(one: Source, names: Collection[str] | None) -> Iterator[Mapping]:
    """JSON is YAML: a line is parsed where it stands. Others are passed over by looking for the id in them."""
    for line, start in enumerate(one.starts, start=1):
        end = one.starts[line] if line < len(one.starts) else len(one.text)
        text = one.text[start:end]
        if text.strip() and (names is None or any(f'"{name}"' in text for name in names)):
            row = parse(one, start, end)
            if not isinstance(row, Mapping) or "id" not in row:
                raise refused("F621", "this line is no offer", one.span(start), _LINE)
            if names is None or row.text("id") in names:
                yield row


_LINE = "write one object a line, each with an id"


def _of_csv(one: Source, names: Collection[str] | None) -> Iterator[Mapping]:
    import csv  # few fiches name a file of rows
    import io

    reader = csv.reader(io.StringIO(one.text, newline=""), strict=True)
    try:
        header = next(reader, [])
        if "id" not in header:
            raise refused("F628", "a file of offers has a column 'id'", one.span(0))
        own, line = header.index("id"), reader.line_num + 1
        for cells in reader:
            if cells and (names is None or cells[min(own, len(cells) - 1)] in names):
                yield _row(one, header, cells, line)
            line = reader.line_num + 1
    except csv.Error as error:
        place = Span(file=one.file, line=reader.line_num, column=1)
        raise refused("F621", f"this row is no CSV: {error}", place) from None


def _row(one: Source, header: list[str], cells: list[str], line: int) -> Mapping:
    place = Span(file=one.file, line=line, column=1)
    if len(cells) != len(header):
        message = f"this row has {len(cells)} cells, the header has {len(header)}"
        raise refused("F621", message, place, "quote a cell that holds a comma")
    return node_of({path: text for path, text in zip(header, cells, strict=True) if text}, place)


def node_of(told: Mapping_[str, str], place: Span) -> Mapping:
    """The tree of a row: dotted paths become mappings, as if it had been written in YAML."""
    root = Mapping(place, {})
    for path, text in told.items():
        *above, key = path.split(".")
        inside = root
        for name in above:
            entry = inside.entries.get(name)
            if entry is None or not isinstance(entry.value, Mapping):
                entry = Entry(_scalar(name, place), Mapping(place, {}))
                inside.entries[name] = entry
            assert isinstance(entry.value, Mapping)
            inside = entry.value
        inside.entries[key] = Entry(_scalar(key, place), _value(path, text, place))
    return root


def _value(path: str, text: str, place: Span) -> Node:
    if path in LISTS:
        return Sequence(place, tuple(_scalar(word, place) for word in text.split()))
    plain = path.partition(".")[0] in _PLAIN
    return Scalar(Span(file=place.file, line=place.line, column=1, text=text), plain=plain)


def _scalar(text: str, place: Span) -> Scalar:
    return Scalar(
        Span(file=place.file, line=place.line, column=place.column, text=text), plain=False
    )
