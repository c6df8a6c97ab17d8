"""The notebook: the script's own parts as cells, between words and calls, without any output (F4)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fiche.assets import template_text
from fiche.measure.lab.joined import FUTURE, Joined, part_text

# The words of the notebook lie in one text, cut at lines such as `<!-- cell: units -->`.
_WORDS = "lab/notebook.md"
_CUT = "<!-- cell: "
# Which words stand before which part: what can be computed comes first, then what must be looked at.
_BEFORE = {"fiche.measure.lab.estimate": "calculation", "fiche.measure.protocol.host": "protocol"}
_CALLS = {
    "calculation": "print(estimate_text(7_000_000_000, 16, reserve_bytes(Fraction(4), 2**30)))",
    "environment": 'lab("environment", "--device", "cuda:0")',
    "measurement": """\
OUTPUT = "m.json"  # a new name for each measurement: none is ever overwritten

lab(
    "measure", "--device", "cuda:0", "--batch", "2", "--context", "128", "--width", "1024",
    "--dtype", "float32", "--warmup", "3", "--repeats", "5", "--output", OUTPUT,
)""",
    "reading": "print(checkpoints_text(OUTPUT))",
}


def notebook_text(parts: Joined, version: str) -> str:
    """A notebook of format 4.5: cells with ids, no output, no execution count."""
    document = {
        "cells": [
            {"id": f"cell-{number:02d}", **cell}
            for number, cell in enumerate(_cells(parts, version), start=1)
        ],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _cells(parts: Joined, version: str) -> Iterator[dict[str, Any]]:
    words = _words(version)
    texts = [
        f"{FUTURE}\n\n{parts.imports}",
        *(part_text(part) for part in parts.parts),
    ]
    names = ["", *(part.name for part in parts.parts)]
    yield _markdown(words["title"])
    for number, (name, text) in enumerate(zip(names, texts, strict=True), start=1):
        if name in _BEFORE:
            yield _markdown(words[_BEFORE[name]])
        yield _code(f"# fiche lab, part {number} of {len(texts)}\n{text}", folded=True)
        if _BEFORE.get(name) == "calculation":
            yield _code(_CALLS["calculation"])
    for told in ("environment", "measurement", "reading"):
        yield _markdown(words[told])
        yield _code(_CALLS[told])
    yield _markdown(words["limits"])


def _words(version: str) -> Mapping[str, str]:
    text = template_text(_WORDS).replace("{{ version }}", version)
    cut = (piece.partition(" -->\n") for piece in text.split(_CUT)[1:])
    return {name: words.strip() for name, _, words in cut}


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(text: str, *, folded: bool = False) -> dict[str, Any]:
    """A cell; the script's own are folded where the reader's program can, so that the words stand out."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {"jupyter": {"source_hidden": True}} if folded else {},
        "outputs": [],
        "source": text.strip("\n").splitlines(keepends=True),
    }
