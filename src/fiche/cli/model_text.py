"""A model's files in the terminal: what they are, what they hold, and what is still open."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.cli.model_shown import (
    PartShare,
    asked,
    cache_sentence,
    format_shares,
    held_by_class,
    merged,
    part_shares,
)
from fiche.cli.models import Described
from fiche.cli.terminal import clean, paragraph, table
from fiche.estimators._stored import Explained, Line, explain, listed
from fiche.kernel.checkpoint import Checkpoint
from fiche.report.numbers import TERMINAL, bare, exact, exact_bytes, memory

_UNEXPLAINED = ("unexplained", "missing", "shape")


def model_text(found: Described, lines: str) -> str:
    """All that the headers and the configuration say; `lines` are those for a fiche, where saved."""
    text = _head(found) + "\n" + _counts(found)
    if found.model.checkpoint is not None:
        text += _formats(found.model.checkpoint)
    text += _parts(part_shares(found.model)) + _caches(found)
    checkpoint = found.model.checkpoint
    text += _listed("Doubts", checkpoint.doubts if checkpoint else ())
    text += _listed("Still to give", [each.text for each in asked(found.model)])
    text += _listed("Notes", found.notes + found.model.notes)
    return text + (f"Written. For a fiche, below workload:\n\n{lines}" if lines else "")


_MOST_LETTERS = 120


def _head(found: Described) -> str:
    model = found.model
    checkpoint = model.checkpoint
    rows = [
        ("source", found.source),
        ("revision", found.revision or "not told by the files"),
        ("model type", _word(model.model_type) or "not told"),
        ("class", _word(model.architecture) or "not told"),
        ("family", model.family or "none that fiche knows"),
        ("stored for", model.storage or "not told"),
        ("files", "none with tensors" if checkpoint is None else _files(checkpoint)),
    ]
    return table(rows)


def _word(text: str) -> str:
    """A word of a file, cut where nobody would read on: a file may say anything."""
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"


def _files(checkpoint: Checkpoint) -> str:
    length = sum(each.num_bytes for each in checkpoint.files)
    read = sum(each.header_bytes for each in checkpoint.files)
    count = len(checkpoint.files)
    return (
        f"{count} {checkpoint.format} {'file' if count == 1 else 'files'}, {exact_bytes(length)}; "
        f"headers {exact_bytes(read)}"
    )


def _counts(found: Described) -> str:
    told = explain(found.model)
    held = held_by_class(found.model)
    text = "Values\n"
    if told is not None:
        count = "not told by the headers" if told.stored is None else exact(told.stored)
        text += paragraph(
            f"stored  {count} in {exact_bytes(told.num_bytes)} ({_both(told.num_bytes)})",
            indent="  ",
        )
    if told is not None and told.loaded is not None:
        text += paragraph(f"loaded  {exact(told.loaded)} by the class", indent="  ")
        return text + _difference(told) + "\n"
    if held is not None:
        text += paragraph(f"loaded  {bare(held, TERMINAL)} by the class", indent="  ")
    elif told is None:
        text += "  neither tensors nor a known class\n"
    else:
        text += "  loaded  not told: no family knows this class\n"
    return text + "\n"


def _difference(told: Explained) -> str:
    if not told.lines:
        return "  The same tensors: nothing to explain.\n"
    differ = any(line.values for line in told.lines)
    text = "  Stored less loaded:\n" if differ else "  As many values on both sides:\n"
    return text + "".join(_line(line) for line in merged(told.lines))


def _line(line: Line) -> str:
    if line.kind == "same":
        return paragraph(f"{line.text}: {listed(line.names)}", indent="  - ")
    sign = "+" if line.values > 0 else ""
    word = "unexplained: " if line.kind in _UNEXPLAINED else ""
    said = f"{word}{sign}{exact(line.values)} values: {line.text}: {listed(line.names)}"
    return paragraph(said, indent="  - ")


def _formats(checkpoint: Checkpoint) -> str:
    rows = [
        (
            each.format or "not told",
            exact(each.tensors),
            "not told" if each.values is None else exact(each.values),
            exact(each.num_bytes),
            memory(each.num_bytes, "GB", TERMINAL),
            memory(each.num_bytes, "GiB", TERMINAL),
        )
        for each in format_shares(checkpoint)
    ]
    if not rows:
        return ""
    header = ("format", "tensors", "values", "bytes", "GB", "GiB")
    return table(rows, header=header, right=(1, 2, 3, 4, 5)) + "\n"


def _parts(shares: tuple[PartShare, ...]) -> str:
    if not shares:
        return ""
    rows = [
        (
            each.part or "by name",
            each.role,
            bare(each.values, TERMINAL),
            "" if each.loaded else "left out by the class",
        )
        for each in shares
    ]
    return table(rows, header=("part", "role", "values", ""), right=(2,)) + "\n"


def _caches(found: Described) -> str:
    sentences = [cache_sentence(each) for each in found.model.caches]
    if not sentences and found.model.family:
        sentences = ["nothing from one step to the next"]
    return _listed("What its layers keep", sentences)


def _listed(title: str, sentences: Iterable[str]) -> str:
    told = [paragraph(clean(each), indent="  - ") for each in sentences]
    return f"{title}\n{''.join(told)}\n" if told else ""


def _both(num_bytes: int) -> str:
    return f"{memory(num_bytes, 'GB', TERMINAL)}, {memory(num_bytes, 'GiB', TERMINAL)}"
