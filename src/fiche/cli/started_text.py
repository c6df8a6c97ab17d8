"""The text of a fiche that is started from records: what they say, in its words, and no word more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from fiche.cli.attach_facts import Stated, is_count, stated
from fiche.kernel.piece import Reading, Run
from fiche.kernel.record import record, replace
from fiche.load.entry import Line, block_lines, inline, scalar
from fiche.load.vocabulary import dimension_terms, term, workload_terms
from fiche.render.visible import visible

# What a piece tells of the circumstances of its own run, and no question of the workload's.
_CIRCUMSTANCES = frozenset(
    (
        *("driver", "runtime", "python", "os", "ecc", "empty_cache", "warmups", "iterations"),
        "repeats",
    )
)
_WIDEST = 100
_PHASES = (
    *("model_load", "inputs", "transfer", "cold_forward", "warmup", "warm_forward", "prefill"),
    *("decode", "forward", "loss", "backward", "optimizer_step", "first_step", "evaluation"),
    "export",
)


@record
class Source:
    """A record: its name as given, its bytes and reading; its id and place as a piece."""

    name: str
    content: bytes
    sha256: str
    reading: Reading
    id: str = ""
    file: str = ""

    def stored(self, name: str, file: str) -> Source:
        """The same as a piece."""
        return replace(self, id=name, file=file)


@record
class Start:
    """Records, the day, and the card that ran them."""

    sources: tuple[Source, ...]
    date: str
    gpu: str


def text_of(one: Start, gaps: Sequence[str]) -> str:
    """The fiche as YAML; `gaps` are facts that the criteria compare and no record says."""
    lines = [*_head(one), *_workload(one, gaps), *_pieces(one), *_requirements(), *_candidates(one)]
    return "\n".join(lines) + "\n"


def _head(one: Start) -> Iterator[str]:
    names = ", ".join(visible(each.name) for each in one.sources)
    runs = one.sources[0].reading.runs
    series = runs[0].id.rsplit(".", 2)[0] if runs else names
    yield "# yaml-language-server: $schema=schemas/fiche.schema.json"
    yield "#"
    yield f"# Started from what was measured: {names}."
    yield "# Each word below stands in a record, and each dimension was executed. What no record says is"
    yield "# left out, and the report asks for it. `fiche check` on this file judges."
    yield "fiche: 1"
    yield f"title: {scalar(f'Workload measured as {visible(series)}')}"
    yield f"date: {one.date}"
    yield "# author: Your name                     # vouches for what you type about pieces and reserves"
    yield ""


# --- Workload -------------------------------------------------------------------------------------


def _workload(one: Start, gaps: Sequence[str]) -> Iterator[str]:
    facts, apart = _agreed(one.sources)
    yield "workload:"
    for key, told in _grouped(facts).items():
        text = f"  {key}: {inline(told)}"
        if len(text) <= _WIDEST or not isinstance(told, dict):
            yield text
        else:
            yield f"  {key}:"
            yield from (f"    {name}: {inline(each)}" for name, each in told.items())
    for path, values in apart.items():
        yield f"  # {path}: the records differ: {', '.join(visible(value) for value in values)}"
    others = _unworded(one.sources, facts, apart)
    if others:
        yield from _comment(f"The records also say, in no word of a fiche: {', '.join(others)}.")
    asked = [path for path in gaps if path not in ("gpu", "machine")]
    if asked:
        yield from _comment(f"No record says: {', '.join(asked)}.")
        yield from _comment(
            "Say it here where you know it, and attest it in the scope of the pieces."
        )
    yield "  cases:"
    yield from _cases(one.sources)
    yield ""


def _comment(text: str) -> Iterator[str]:
    """Words of a record may be long: the lines of a comment stay readable."""
    yield from wrap(text, _WIDEST, initial_indent="  # ", subsequent_indent="  # ")


def _agreed(sources: Sequence[Source]) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Facts of a workload that every record says alike, or only some say; and those said differently."""
    told: dict[str, dict[str, None]] = {}
    for source in sources:
        for path, fact in stated(source.reading).items():
            if _is_asked(path, fact):
                told.setdefault(path, {})[fact.value] = None
    order = {path.partition(".")[0]: place for place, path in enumerate(workload_terms())}
    paths = sorted(told, key=lambda path: order.get(path.partition(".")[0], len(order)))
    alike = {path: next(iter(told[path])) for path in paths if len(told[path]) == 1}
    return alike, {path: list(told[path]) for path in paths if len(told[path]) > 1}


# What is told with the piece, or of the machine: no part of a workload.
_BESIDE = frozenset(
    (
        *("gpu", "machine", "device", "order", "started_at", "process_protocol", "framework"),
        *("run", "rank", "world", "local_rank", "node", "plan", "tool", "devices", "tensors"),
        *("merged", "variables"),
        *("libraries", "allocator"),
    )
)


def _unworded(
    sources: Sequence[Source], facts: Mapping[str, str], apart: Mapping[str, Sequence[str]]
) -> list[str]:
    """Words and executed dimensions that a fiche has no key for: shown, and never forced into one."""
    told = {
        path: fact.value
        for source in sources
        for path, fact in source.reading.facts.items()
        if path not in facts and path not in apart
    }
    words = [
        f"{visible(path)} {visible(value)[:_LONGEST]}"
        for path, value in told.items()
        if path.partition(".")[0] not in _BESIDE | _CIRCUMSTANCES
    ]
    ran = {
        name: int(figure.low)
        for source in sources
        for run in source.reading.runs
        for name, figure in run.executed.items()
        if name not in dimension_terms()
    }
    return [*words, *(f"executed {visible(name)} {count}" for name, count in ran.items())]


_LONGEST = 80


def _is_asked(path: str, fact: Stated) -> bool:
    return term(path) is not None and path not in _CIRCUMSTANCES and bool(fact.value)


def _grouped(facts: Mapping[str, str]) -> dict[str, Any]:
    """Facts under their first key, as a fiche writes them; settings one level deeper."""
    found: dict[str, Any] = {}
    for path, value in facts.items():
        *groups, last = path.split(".", 2)
        inner = found
        for key in groups:
            inner = inner.setdefault(key, {})
        plain = is_count(path) or ".settings." in path
        inner[last] = int(value) if plain and _is_whole(value) else value
    return found


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdigit() and str(int(text)) == text


# --- Cases ----------------------------------------------------------------------------------------


def _cases(sources: Sequence[Source]) -> Iterator[str]:
    """The largest load that went through, or else the one that failed; a failure beside it as a comment."""
    runs = [run for source in sources for run in source.reading.runs]
    loops = [run for run in runs if run.whole_loop]
    succeeded = [run for run in loops if run.outcome == "success" and run.executed]
    untold = [run for run in loops if run.outcome == "unknown" and run.executed]
    failed = [run for run in runs if run.outcome == "failure" and _dimensions([run])]
    if succeeded:
        best = max(succeeded, key=_load)
        yield f"    - {_case('measured', [best], best.phases)}  # {_LARGEST}"
    elif any(run.outcome == "success" and run.executed for run in runs):
        parts = [run for run in runs if run.outcome == "success"]
        phases = tuple(name for run in parts for name in run.phases)
        yield f"    - {_case('measured', parts, phases)}  # {_PHASED}"
    elif untold:
        best = max(untold, key=_load)
        yield f"    - {_case('measured', [best], best.phases)}  # {_UNTOLD}"
    elif failed:
        yield f"    - {_case('failed', [max(failed, key=_load)], ())}  # this load failed"
        return
    else:
        yield "    # No record says what was executed: state the loads to answer for."
        yield "    - {id: measured, role: limit}"
    if failed:
        worst = max(failed, key=_load)
        yield f"    # - {_case('failed', [worst], ())}  # failed in {', '.join(worst.phases)}"


_LARGEST = "the largest load that ran whole; its role is yours to say"
_UNTOLD = "one rank of several ran it; how the run went is not known"
_PHASED = "ran phase by phase, which admits nothing; its role is yours to say"


def _load(run: Run) -> tuple[bool, int, str]:
    """A loop from its first pass before one that began warm; then the one of the larger dimensions."""
    product = 1
    for figure in run.executed.values():
        product *= max(int(figure.low), 1)
    return run.first_pass, product, run.id


def _case(name: str, runs: Sequence[Run], phases: Sequence[str]) -> str:
    told = {"id": name, "role": "limit", **_dimensions(runs)}
    words = [f"{key}: {value}" for key, value in told.items()]
    known = [phase for phase in dict.fromkeys(phases) if phase in _PHASES]
    if known:
        words.append(f"phases: [{', '.join(known)}]")
    return f"{{{', '.join(words)}}}"


def _dimensions(runs: Sequence[Run]) -> dict[str, int]:
    """The largest that a run executed, of each dimension that a case may state."""
    found: dict[str, int] = {}
    for run in runs:
        for name, figure in run.executed.items():
            known = dimension_terms().get(name)
            if known is not None and figure.low >= known.least:
                found[name] = max(found.get(name, 0), int(figure.low))
    return found


# --- The rest -------------------------------------------------------------------------------------


def _pieces(one: Start) -> Iterator[str]:
    yield "pieces:"
    for source in one.sources:
        facts = source.reading.facts
        entry = [Line("id", source.id), Line("file", source.file), Line("sha256", source.sha256)]
        entry += [Line("kind", source.reading.kind)]
        entry += [Line("run", facts["run"].value)] if "run" in facts else []
        if "gpu" not in facts:
            comment = f"scope: {{gpu: {one.gpu}, by: }}  # the record does not name its card: who vouches?"
            entry.append(Line(comment=comment))
        yield from block_lines(entry, 2)
    yield ""


def _requirements() -> Iterator[str]:
    yield "requirements:"
    yield "  - {id: memory, kind: memory, level: must}"
    yield "  # - {id: quality, kind: quality, level: must, metric: , dataset: , at_least: }"
    yield ""


def _candidates(one: Start) -> Iterator[str]:
    """The machine that ran it, as far as the records name it."""
    told: dict[str, str | int] = {
        "id": "measured",
        "gpu": one.gpu,
        "cards": _num_cards(one.sources),
    }
    machines = {
        source.reading.facts["machine"].value
        for source in one.sources
        if "machine" in source.reading.facts
    }
    if len(machines) == 1:
        told["machine"] = next(iter(machines))
    yield "candidates:"
    words = ", ".join(f"{key}: {inline(value)}" for key, value in told.items())
    yield f"  - {{{words}}}  # where it ran"


def _num_cards(sources: Sequence[Source]) -> int:
    """The cards of the placement, else the devices that were read, else one."""
    for source in sources:
        placed = stated(source.reading).get("placement.devices")
        if placed is not None and int(placed.value) > 0:
            return int(placed.value)
    seen = {
        each.device_index
        for source in sources
        for run in source.reading.runs
        for each in run.observations
        if each.device_index is not None
    }
    return max(len(seen), 1)
