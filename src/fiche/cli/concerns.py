"""Which warnings of a piece concern one of its figures: by the kind of thing, line, device, rank, counter.

A warning that names none of them holds for all the piece says. When in doubt a warning is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fiche.cli.entries import FAILURE, PLAN, QUANTITY, RESULT, Entry

# These say something of the file, and nothing of a figure.
_OF_THE_FILE = ("secret_in_file", "also_holds", "not_read", "aside_shortened", "facts_differ")
_OF_SORTS = (
    ((PLAN,), ("budget_not_need", "estimate_not_measured", "computed_not_observed")),
    (
        (FAILURE, QUANTITY),
        (
            "self_process_not_identified",
            "cause_uncertain",
            "free_exceeds_requested",
            "rejected_by_limit",
            "limited_below_capacity",
            "limit_not_set",
            "requested_exceeds_capacity",
            "refused_by_arithmetic",
            "many_failures",
            "recovered",
        ),
    ),
    (
        (RESULT,),
        (
            "requests_failed",
            "stderr_missing",
            "scale_by_metric",
            "limited",
            "several_models",
            "no_unit",
            "latency_terms",
            "batch_latency",
            "total_tokens",
            "tokens_of_one_sequence",
            "engine_not_told",
        ),
    ),
)
_SORTS = {key: sorts for sorts, keys in _OF_SORTS for key in keys}
_OF_COUNTERS = {
    "allocated_peak_bounded": "allocated",
    "reserved_peak_is_upper_bound": "reserved",
    "requested_unknown": "requested",
    "falling_window": "requested",
}
_LINES = re.compile(
    r"\blines? ([0-9]{1,12}(?:(?:, | and )[0-9]{1,12}\b(?! more))*)( and [0-9]+ more)?\b"
)
_DEVICE = re.compile(r"\bdevice ([0-9]{1,4})\b")
_RANK = re.compile(r"\brank ([0-9]{1,6})\b")
_COUNTER = re.compile(r"[A-Za-z][\w]*(?:[._/][\w]+)+")


def concerning(entry: Entry, counters: frozenset[str]) -> Iterator[str]:
    """The warnings that concern an entry; `counters` are the names of all counters of its piece."""
    for warning in entry.piece.reading.warnings:
        key = warning.partition(":")[0]
        if key in _OF_THE_FILE or entry.sort not in _SORTS.get(key, (entry.sort,)):
            continue
        if _OF_COUNTERS.get(key, "") not in entry.name:
            continue
        if _of_the_place(warning, entry) and _of_the_counter(warning, entry, counters):
            yield warning


def _of_the_place(warning: str, entry: Entry) -> bool:
    lines = _LINES.search(warning)
    if lines is not None and entry.pointer.line is not None and not lines[2]:
        named = {int(number) for number in re.findall("[0-9]+", lines[1])}
        if entry.pointer.line not in named:
            return False
    for pattern, own in ((_DEVICE, "device_index"), (_RANK, "rank")):
        told = set(pattern.findall(warning))
        value = getattr(entry.told, own, None)
        if told and value is not None and str(value) not in told:
            return False
    return True


def _of_the_counter(warning: str, entry: Entry, counters: frozenset[str]) -> bool:
    """A warning that names counters of the piece is about those alone."""
    named = counters.intersection(_COUNTER.findall(warning.partition(":")[2]))
    return not named or entry.name in named
