"""What is wrong with a saved listing: its schema, and numbers that contradict each other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import islice, pairwise
from math import prod
from typing import TYPE_CHECKING, Any

from fiche.assets import schema_text
from fiche.checkpoints._gguf_types import BY_NAME
from fiche.checkpoints._safetensors_dtypes import BITS
from fiche.checkpoints._tensors import MAX_TENSORS
from fiche.kernel.config import Json

if TYPE_CHECKING:
    import jsonschema_rs

Fault = tuple[tuple[str | int, ...], str]
_MOST = 20


def faults(document: dict[str, Json]) -> Iterator[Fault]:
    """The path and the message of what is wrong, the schema first and the rest only behind it."""
    # Values beside tensors may be anything; fractions are no JSON for the validator.
    told = {**document, "metadata": {}} if isinstance(document.get("metadata"), dict) else document
    broken = [
        (tuple(error.instance_path), str(error.message))
        for error in islice(_validator().iter_errors(_plain(told)), _MOST)
    ]
    yield from broken or islice(_contradictions(document), _MOST)


def _plain(value: Json) -> Any:  # noqa: ANN401 - what the validator takes
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, Fraction) or _is_endless(value) else value


def _is_endless(value: Json) -> bool:
    return isinstance(value, int) and not -(2**63) <= value < 2**63


@cache
def _validator() -> jsonschema_rs.Draft202012Validator:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(json.loads(schema_text("model.schema.json")))


def _contradictions(told: Any) -> Iterator[Fault]:  # noqa: ANN401 - as the schema says
    names = [each["name"] for each in told["files"]]
    if len(set(names)) != len(names):
        yield ("files",), "a file stands twice"
    for place, file in enumerate(told["files"]):
        if file["header_bytes"] > file["num_bytes"]:
            yield ("files", place, "header_bytes"), "the header is longer than the file"
    keys = [_key(group) for group in told["groups"]]
    if any(one >= two for one, two in pairwise(keys)):
        yield ("groups",), "groups are not in the order of name, dtype and shape, each once"
    for place, group in enumerate(told["groups"]):
        yield from _of_group(group, told["format"], ("groups", place))
    yield from _of_totals(told)


def _key(group: Any) -> tuple[str, str, list[int], int]:  # noqa: ANN401
    return group["name"], group["dtype"], group["shape"], group["num_bytes"]


def _of_group(group: Any, kind: str, path: tuple[str | int, ...]) -> Iterator[Fault]:  # noqa: ANN401
    if group["num_bytes"] != _expected(group, kind):
        yield (*path, "num_bytes"), "these bytes are not those of its dtype and shape"
    held = sum(last - first + 1 for first, last in group["layers"])
    if not _ascend(group["layers"]) or held > group["count"]:
        yield (*path, "layers"), "these are no rising runs of at most as many layers as tensors"


def _ascend(runs: list[list[int]]) -> bool:
    """True for runs as they are written: none empty, none that touches the next one."""
    rising = all(first <= last for first, last in runs)
    return rising and all(one[1] + 1 < two[0] for one, two in pairwise(runs))


def _expected(group: Any, kind: str) -> int | None:  # noqa: ANN401
    """Bytes of one tensor by its format and shape; None where the format is unknown."""
    values = prod(group["shape"])
    if kind == "gguf":
        found = BY_NAME.get(group["dtype"])
        return None if found is None else values // found.values * found.num_bytes
    if kind == "pytorch_bin":
        return int(group["num_bytes"])
    bits = BITS.get(group["dtype"])
    return None if bits is None else values * bits // 8


def _of_totals(told: Any) -> Iterator[Fault]:  # noqa: ANN401
    if sum(group["count"] for group in told["groups"]) > MAX_TENSORS:
        yield ("groups",), f"more than {MAX_TENSORS} tensors"
    stored = sum(group["count"] * group["num_bytes"] for group in told["groups"])
    held = sum(file["num_bytes"] - file["header_bytes"] for file in told["files"])
    if stored > held:
        yield ("groups",), f"tensors of {stored} bytes do not fit into files of {held}"
