"""Scores, throughputs and latencies of a file, for a terminal: as printed, with what belongs to each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fiche.cli.terminal import paragraph, table
from fiche.kernel.piece import Result
from fiche.report.imported import decimal, place_of

# Of a file with more, the first ones are shown and the rest is counted (law 8).
_MOST = 120


def results_text(results: Sequence[Result]) -> Iterator[str]:
    """One row a figure; nothing where the file has none."""
    if not results:
        return
    yield "\n"
    yield table(
        [_row(result) for result in results[:_MOST]],
        header=("task or target", "metric", "as printed", "standard error", "place"),
        right=(2, 3),
        indent="  ",
    )
    if len(results) > _MOST:
        yield paragraph(f"{len(results) - _MOST} further figures; --json has them all", indent="  ")


def _row(result: Result) -> tuple[str, str, str, str, str]:
    marks = result.marks
    told = [result.metric, result.stat, str(marks.get("filter") or "").replace("none", "")]
    shots = f"{marks['num_fewshot']} shots" if "num_fewshot" in marks else ""
    direction = marks.get("higher_is_better")
    better = "" if direction is None else "more is better" if direction else "less is better"
    model = str(marks.get("model") or "")
    return (
        ", ".join(filter(None, (result.label, model, shots, _samples(result)))),
        ", ".join(filter(None, (*told, better))),
        _printed(result),
        f"± {marks['stderr']}" if "stderr" in marks else "",
        place_of(result.pointer),
    )


def _printed(result: Result) -> str:
    """The printed words; in the unit that is meant too, where that is another one."""
    if result.unit in ("", "score") or result.text.endswith(f" {result.unit}"):
        return result.text
    return f"{result.text} = {decimal((result.low + result.high) / 2)} {result.unit}"


def _samples(result: Result) -> str:
    asked, of = result.marks.get("samples"), result.marks.get("of_samples")
    return f"{asked} of {of} samples" if asked is not None and asked != of else ""
