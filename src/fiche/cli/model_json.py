"""A model's files as one JSON object: the same that the terminal shows."""

from __future__ import annotations

from typing import Any

from fiche.cli.model_shown import (
    VALUES,
    asked,
    cache_sentence,
    format_shares,
    held_by_class,
    merged,
    part_shares,
)
from fiche.cli.models import Described
from fiche.estimators._stored import Explained, explain
from fiche.kernel.checkpoint import Checkpoint
from fiche.kernel.figure import Figure, Node, Unknown
from fiche.kernel.model import Cache
from fiche.kernel.record import field_names
from fiche.render._figures import amounts, condition

FORMAT = "fiche-model-report/1"


def model_json(found: Described, lines: str) -> dict[str, Any]:
    """What the files say, numbers with their units; `lines` are those for a fiche, where saved."""
    model, checkpoint = found.model, found.model.checkpoint
    told: dict[str, Any] = {
        "format": FORMAT,
        "source": found.source,
        "name": found.name,
        "revision": found.revision or None,
        "model_type": model.model_type or None,
        "architecture": model.architecture or None,
        "family": model.family or None,
        "storage": model.storage or None,
        "tied": model.tied,
        "values": _values(found),
        "parts": [
            {
                "part": each.part or None,
                "role": each.role,
                "loaded": each.loaded,
                "values": _number(each.values),
            }
            for each in part_shares(model)
        ],
        "caches": [_cache(each) for each in model.caches],
        "conditions": [condition(each) for each in asked(model)],
        "notes": [*found.notes, *model.notes],
    }
    if checkpoint is not None:
        told |= _checkpoint(checkpoint)
    if lines:
        told["fiche"] = lines
    return told


def _values(found: Described) -> dict[str, Any]:
    told = explain(found.model)
    held = held_by_class(found.model)
    values: dict[str, Any] = {"stored": None, "loaded": None if held is None else _number(held)}
    if told is None:
        return values
    values["stored_bytes"] = told.num_bytes
    if told.stored is not None:
        values["stored"] = _count(told.stored)
    if told.stored is not None and told.loaded is not None:
        values["loaded"] = _count(told.loaded)
        values["stored_less_loaded"] = _count(told.stored - told.loaded)
        values["because"] = _lines(told)
        values["unexplained"] = _count(sum(line.values for line in told.unexplained))
    return values


def _lines(told: Explained) -> list[dict[str, Any]]:
    return [
        {
            "kind": line.kind,
            "values": _count(line.values),
            "bytes": line.num_bytes,
            "loaded": line.loaded,
            "because": line.text,
            "tensors": list(line.names),
        }
        for line in merged(told.lines)
    ]


def _checkpoint(checkpoint: Checkpoint) -> dict[str, Any]:
    return {
        "stored_as": checkpoint.format,
        "formats": [
            {
                "format": each.format or None,
                "tensors": each.tensors,
                "values": None if each.values is None else _count(each.values),
                "bytes": each.num_bytes,
            }
            for each in format_shares(checkpoint)
        ],
        "files": [
            {
                "name": each.name,
                "bytes": each.num_bytes,
                "header_bytes": each.header_bytes,
                "header_sha256": each.sha256,
            }
            for each in checkpoint.files
        ],
        "doubts": list(checkpoint.doubts),
    }


def _cache(cache: Cache) -> dict[str, Any]:
    told: dict[str, Any] = {"cache": type(cache).__name__.removesuffix("Cache").lower()}
    for name in field_names(cache):
        value = getattr(cache, name)
        if isinstance(value, Figure | Unknown):
            told[name] = _number(value)
        elif value is not None:
            told[name] = list(value) if isinstance(value, tuple) else value
    return {**told, "text": cache_sentence(cache)}


def _number(node: Node) -> dict[str, Any]:
    return {"unit": str(node.unit) or str(VALUES), **amounts(node)}


def _count(value: int) -> dict[str, Any]:
    return {"unit": str(VALUES), "value": str(value)}
