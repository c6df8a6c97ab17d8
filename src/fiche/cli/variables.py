"""The words for what may vary in a sweep or an inverse question: context, concurrency, batch, rank."""

from __future__ import annotations

from collections.abc import Callable

from fiche.cli.settings import count, with_dimension, with_setting
from fiche.cli.usage import together
from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import record, replace
from fiche.kernel.workload import Case, Workload


@record
class Variable:
    """One word, the unit that its values count, and what it sets in a workload.

    `put(workload, text)` returns the workload at one value. `leaf(case)` is the id of the figure that takes
    the value, less what `beside(case)` says; empty where the value is a word, or changes the structure.
    """

    name: str
    counts: str
    put: Callable[[Workload, str], Workload]
    leaf: Callable[[Case | None], str] = lambda case: ""
    beside: Callable[[Case | None], int] = lambda case: 0


def variable(name: str) -> Variable:
    """The variable of this name; any path that can be set is one too."""
    known = _KNOWN.get(name)
    if known is not None:
        return known
    return Variable(name=name, counts="", put=lambda load, text: with_setting(load, name, text))


def _of_case(name: str, counts: str, dimension: str) -> Variable:
    return Variable(
        name=name,
        counts=counts,
        put=lambda load, text: with_setting(load, dimension, text),
        leaf=lambda case: _id(case, dimension),
    )


def _path(name: str, counts: str, path: str) -> Variable:
    return Variable(
        name=name,
        counts=counts,
        put=lambda load, text: with_setting(load, path, text),
        leaf=(lambda case: path) if counts else (lambda case: ""),
    )


def _storage(load: Workload, text: str) -> Workload:
    """A format to load in: what is stored stays what it is."""
    path = "formats.storage" if load.model is None else "formats.loaded"
    return with_setting(load, path, text)


def _context(load: Workload, text: str) -> Workload:
    """Tokens of a sequence: those of the prompt give way, new ones stay."""
    if not load.cases:
        return with_setting(load, "context_tokens", text)
    return replace(load, cases=tuple(_with_context(case, text) for case in load.cases))


def _with_context(case: Case, text: str) -> Case:
    if _prompted(case):
        prompt = int(count("context", "context", text).low) - _new_tokens(case)
        if prompt < 0:
            message = f"a context of {text} is less than the {_new_tokens(case)} new tokens in it"
            raise Refused([together(message, "give the tokens of prompt and answer together")])
        return with_dimension(case, "prompt_tokens", str(prompt))
    return with_dimension(case, "context_tokens", text)


def _prompted(case: Case | None) -> bool:
    return case is not None and bool({"prompt_tokens", "new_tokens"} & set(case.dimensions))


def _new_tokens(case: Case | None) -> int:
    told = None if case is None else case.dimensions.get("new_tokens")
    return 0 if told is None or not _prompted(case) else int(told.low)


def _id(case: Case | None, dimension: str) -> str:
    return f"{case.id}.{dimension}" if case is not None and case.id else dimension


_KNOWN = {
    "context": Variable(
        name="context",
        counts="tokens",
        put=_context,
        leaf=lambda case: _id(case, "prompt_tokens" if _prompted(case) else "context_tokens"),
        beside=_new_tokens,
    ),
    "concurrency": _of_case("concurrency", "sequences", "resident_sequences"),
    "batch": _of_case("batch", "sequences", "microbatch"),
    "sequence": _of_case("sequence", "tokens", "sequence_tokens"),
    "rank": _path("rank", "values", "method.rank"),
    "storage": Variable(name="storage", counts="", put=_storage),
    "cache": _path("cache", "", "formats.cache"),
    "engine": _path("engine", "", "engine.name"),
    "optimizer": _path("optimizer", "", "optimizer.name"),
    "checkpointing": _path("checkpointing", "", "training.checkpointing"),
}
SOLVABLE = ("context", "concurrency", "batch", "sequence", "rank")
