"""The paths a workload may state, as `schemas/fiche.schema.json` has them: one list, in one place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from fiche.kernel.fact import WRITTEN
from fiche.kernel.spoken import titled
from fiche.load.schema import document

# Facts whose path in the kernel is not the key that an author writes.
RENAMED = {key: path for path, key in WRITTEN.items()}
# What a workload asks for: a candidate that changed it would answer another question (D6, D10).
NEED = ("model", "code", "operation", "inputs", "seed", "cases", "duration", "work")
CHANGEABLE_DIMENSIONS = ("resident_sequences", "batch", "microbatch", "accumulation")
_COUNTS = ("count", "positive")
# What a workload states that is neither a fact of it nor a plain count: read elsewhere.
_APART = ("duration.", "work.")


class Term(NamedTuple):
    """A path that may be stated: a whole number of something (of at least `least`), or a word.

    `words` are all that the word may be, empty where any is taken.
    """

    is_count: bool
    label: str
    least: int = 0
    words: tuple[str, ...] = ()


@cache
def workload_terms() -> Mapping[str, Term]:
    """Every dotted path under `workload`; `engine.settings.*` ends in `*` where any key may follow."""
    definitions = document("fiche")["$defs"]
    found = _terms(definitions["workload"], definitions, "")
    return {path: told for path, told in found if not path.startswith(_APART)}


@cache
def dimension_terms() -> Mapping[str, Term]:
    """Every dimension that a case may state."""
    definitions = document("fiche")["$defs"]
    return dict(_terms(definitions["dimensions"], definitions, ""))


def term(path: str) -> Term | None:
    """What a path of a workload stands for, or None where no workload may state it."""
    terms = workload_terms()
    found = terms.get(path)
    if path.endswith("*"):  # what stands for any key is none itself
        return None
    if found is not None or "." not in path:
        return found
    open_paths = (
        p for p in terms if p.endswith(".*") and path.startswith(p[:-1]) and len(path) >= len(p)
    )
    return next((Term(terms[p].is_count, path.rsplit(".", 1)[-1]) for p in open_paths), None)


def _terms(
    schema: Mapping[str, Any], definitions: Mapping[str, Any], prefix: str
) -> Iterator[tuple[str, Term]]:
    for key, told in schema.get("properties", {}).items():
        path = f"{prefix}{key}"
        name = told.get("$ref", "").removeprefix("#/$defs/")
        target = definitions.get(name, told)
        if target.get("type") == "array":
            continue
        if name == "words":
            yield f"{path}.*", Term(is_count=False, label=told["title"])
        elif "properties" in target:
            yield from _terms(target, definitions, f"{path}.")
        else:
            yield (
                path,
                Term(
                    is_count=name in _COUNTS,
                    label=titled(told["title"]),
                    least=target.get("minimum", 0),
                    words=tuple(target.get("enum", ())),
                ),
            )
