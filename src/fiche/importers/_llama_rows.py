"""Rows of llama-bench's CSV and of its Markdown table."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from fiche.importers._markdown import Row
from fiche.importers._refusal import refused
from fiche.importers._results import fact_at, figure
from fiche.importers._sheet import Sheet
from fiche.kernel.address import Pointer
from fiche.kernel.lazy import lazy

HEAD = lazy(
    rb"\| model {1,60}\| {1,20}size \| {1,20}params \| backend [^\r\n]{1,400}\| {1,20}test \| {1,20}t/s \|"
)
_TEST = lazy(r"(?:pp ?(\d{1,9}))?\+?(?:tg ?(\d{1,9}))?(?: @ d(\d{1,9}))?")
_RATE = lazy(r"(\d{1,12}\.\d{2}) ± (\d{1,12}\.\d{2})")
_BUILD = lazy(rb"(?m)^.{0,200}?build: ([0-9a-f]{6,40}|unknown) \((\d{1,9})\)")
_MOST_ROWS = 20_000
_WHOLE = frozenset({"n_prompt", "n_gen", "n_depth", "build_number"})


def of_csv(content: bytes, sha256: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Each test with its line, and its values under the names of the heading.

    Raises:
        Refused: a row has another number of columns than the heading, as where it breaks off (F429).
    """
    lines = content.decode("utf-8-sig", "replace").replace("\r\n", "\n").split("\n")
    names = lines[0].split(",")
    for number, line in enumerate(lines[1:_MOST_ROWS], 2):
        if not line.strip() or len(line) > 100_000:
            continue
        try:
            cells = next(csv.reader(io.StringIO(line), strict=True), [])
        except csv.Error:
            cells = []
        if len(cells) != len(names):
            message = f"the row has {len(cells)} columns, the heading {len(names)}"
            raise refused("F429", message, sha256, line=number, hint="copy the file again, whole")
        yield number, line[:400], {k: _value(k, v) for k, v in zip(names, cells, strict=True)}


def _value(name: str, text: str) -> object:
    if name in _WHOLE and re.fullmatch(r"\d{1,12}", text):
        return int(text)
    if name in ("avg_ts", "stddev_ts") and re.fullmatch(r"\d{1,15}\.\d{1,12}", text):
        return Decimal(text)
    return text


def of_markdown(sheet: Sheet, content: bytes) -> None:
    """Every test of the tables, two decimals each, and the build that is printed below."""
    for row, cells in _rows(content):
        test, rate = _TEST.fullmatch(cells["test"]), _RATE.fullmatch(cells["t/s"])
        if not test or not rate or not (test[1] or test[2]):
            continue
        at = Pointer(sha256=sheet.sha256, line=row.line, text=row.text)
        parts = [f"{kind}{told}" for kind, told in (("pp", test[1]), ("tg", test[2])) if told]
        label = "+".join(parts) + (f" @ d{test[3]}" if test[3] else "")
        metric = (
            "prompt_and_generation"
            if test[1] and test[2]
            else "prompt"
            if test[1]
            else "generation"
        )
        marks = {"model": cells["model"], "std": rate[2], "backend": cells.get("backend", "")}
        sheet.results.append(
            figure(
                at, rate[1], Decimal(rate[1]), f"{metric}_throughput", "tokens/s",
                stat="mean", label=label, digits=2, marks={k: v for k, v in marks.items() if v},
            )
        )  # fmt: skip
        sheet.fact(at, "engine.name", "llama.cpp")
        sheet.fact(at, "model.type", cells["model"])
    build = _BUILD.search(content)
    if build and build[2] != b"0":
        line = content.count(b"\n", 0, build.start(1)) + 1
        shown = build[0].decode("utf-8", "replace").strip()[-200:]
        at = Pointer(sha256=sheet.sha256, line=line, text=shown)
        fact_at(sheet, at, "engine.version", f"b{build[2].decode()}")


def _rows(content: bytes) -> Iterator[tuple[Row, dict[str, str]]]:
    """Rows with their cells by column; the columns differ with what was varied."""
    names: list[str] = []
    for number, raw in enumerate(content.split(b"\n"), 1):
        line = raw[:4000].decode("utf-8", "replace").strip()
        head = HEAD.search(raw[:4000])
        if head:
            names = [cell.strip() for cell in head[0].decode("utf-8", "replace").split("|")[1:-1]]
            continue
        parts = line.rsplit("|", len(names) + 1) if names and line.endswith("|") else []
        if len(parts) == len(names) + 2:
            cells = [cell.strip() for cell in parts[1:-1]]
            named = dict(zip(names, cells, strict=True))
            yield Row(number, tuple(cells), line[:400]), named
        elif not line.endswith("|"):
            names = names if line.startswith(("ggml_", "llama_", "load_")) else []
