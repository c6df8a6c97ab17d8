"""What a file states of its scope in the words of a fiche, what the fiche says otherwise, what is unsaid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from fiche.cli.attach_cards import cards_printing
from fiche.kernel.address import Pointer
from fiche.kernel.catalog import Card
from fiche.kernel.decision import Fiche
from fiche.kernel.fact import Fact
from fiche.kernel.piece import Reading
from fiche.kernel.record import record
from fiche.load.vocabulary import term
from fiche.render.visible import visible

_NAMES = {
    "process_protocol": "process",
    "torch": "framework.version",
    "software.torch": "framework.version",
    "cuda": "runtime",
    "hip": "runtime",
    "software.cuda": "runtime",
    "engine": "engine.name",
    "dtype": "formats.compute",
    "kv_cache_dtype": "formats.cache",
}
_DEVICES = ("device", "gpu")
# Keys of a scope that are words and no part of a workload.
_WORDS = (
    "process",
    "driver",
    "runtime",
    "python",
    "os",
    "ecc",
    "empty_cache",
    "warmups",
    "iterations",
)
_ENGINES = (
    "vllm",
    "sglang",
    "ollama",
    "transformers",
    "lmdeploy",
    "tensorrt_llm",
    "llama.cpp",
    "llama_cpp",
    "whisper_cpp",
)
_FORMATS = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "half": "fp16",
    "float32": "fp32",
    "float": "fp32",
    "f16": "fp16",
    "f32": "fp32",
    "int8": "int8",
}
_LONGEST = 200
_SCORE = "score"
# Asked of a piece only where the fiche says something about it.
_IF_ASKED = (
    *("formats.loaded", "formats.cache_key", "formats.cache_value", "formats.master"),
    *("placement.split", "placement.sharding", "placement.offload"),
    *(f"placement.{kind}_parallel" for kind in ("tensor", "pipeline", "expert", "context", "data")),
)


@record
class Stated:
    """A fact of a scope: its path there, its value in a fiche's words, how and where the file prints it."""

    path: str
    value: str
    printed: str
    place: str


def stated(reading: Reading) -> dict[str, Stated]:
    """The facts of a file that a scope has a key for, by that key; those of runs where all runs agree."""
    facts = _facts(reading)
    found: dict[str, Stated] = {}
    for path, fact in facts.items():
        for own, value in _translated(path, fact.value, facts):
            if _takes(own, value):
                found.setdefault(own, _stated(own, value, fact))
    return found


def device(reading: Reading) -> Stated | None:
    """The name that the device prints, where one is printed and all devices print the same."""
    facts = _facts(reading)
    told = next((facts[key] for key in _DEVICES if key in facts), None)
    if told is not None:
        return _stated("gpu", told.value, told)
    named = {
        capacity.device_name: capacity for capacity in reading.capacities if capacity.device_name
    }
    if len(named) != 1:
        return None
    ((name, capacity),) = named.items()
    return _stated("gpu", name, Fact(value=name, address=capacity.pointer))


def _facts(reading: Reading) -> dict[str, Fact]:
    runs = [run.facts for run in reading.runs]
    shared = {
        path: fact
        for facts in runs[:1]
        for path, fact in facts.items()
        if all(path in other and other[path].value == fact.value for other in runs)
    }
    return {**shared, **reading.facts}


def _translated(path: str, value: str, facts: Mapping[str, Fact]) -> Iterator[tuple[str, str]]:
    """The same fact under the keys of a fiche."""
    own = _NAMES.get(path, path)
    name = path.removeprefix("software.")
    if path.startswith("settings."):
        own = f"engine.{path}"
    elif path.startswith("software.") and own == path:
        engine = facts.get("engine", facts.get("engine.name"))
        is_engine = name == engine.value if engine is not None else name in _ENGINES
        own = "engine.version" if is_engine else f"extensions.{name}"
        if is_engine:
            yield "engine.name", name
    if own == "framework.version" and path != own:
        yield "framework.name", "torch"
    yield own, format_word(value) if own.startswith("formats.") else value


def format_word(text: str) -> str:
    """A number format as fiches write it: `torch.bfloat16` is bf16."""
    bare = text.casefold().removeprefix("torch.")
    return _FORMATS.get(bare, bare if bare in _FORMATS.values() else text)


def _takes(path: str, value: str) -> bool:
    """True where a scope has this key, and it takes this value."""
    if not value or len(value) > _LONGEST or visible(value) != value or value == "auto":
        return False
    if path in _WORDS:
        return True
    known = term(path)
    if known is None or path.startswith("duration"):
        return False
    if known.is_count:
        return value.isascii() and value.isdigit() and len(value) < 16 and int(value) >= known.least
    return not known.words or value in known.words


def is_count(path: str) -> bool:
    """True where a scope takes a whole number."""
    known = term(path)
    return known is not None and known.is_count


def _stated(path: str, value: str, fact: Fact) -> Stated:
    return Stated(path=path, value=value, printed=fact.value, place=place_of(fact))


def place_of(fact: Fact) -> str:
    """Where the file prints it: `line 3`, or the path in a document."""
    where = fact.address
    if not isinstance(where, Pointer):
        return str(where)
    return visible(where.path) if where.path is not None else f"line {where.line}"


# --- Compared -------------------------------------------------------------------------------------


@record
class Compared:
    """How many facts the fiche says as well, and a sentence for each that it says otherwise."""

    alike: int
    differences: tuple[str, ...]


def compared(reading: Reading, fiche: Fiche, cards: Sequence[Card], who: str) -> Compared:
    """Compare what a file states with what the fiche declares; `who` is what the file is called."""
    declared = {path: fact.value for path, fact in fiche.workload.facts.items()}
    declared |= {path: str(figure.low) for path, figure in fiche.workload.figures.items()}
    both = [
        (one, declared[key])
        for one in stated(reading).values()
        for key in _keys(one.path)
        if key in declared
    ]
    apart = [
        f"{one.path}: the fiche says {visible(asked)}, {who} says {visible(one.printed)} ({one.place})"
        for one, asked in both
        if not _same(asked, one.value)
    ]
    alike = len(both) - len(apart)
    found = device(reading)
    if found is not None:
        difference = _other_card(found, fiche, cards, who)
        alike += not difference
        apart += [difference] if difference else []
    return Compared(alike=alike, differences=tuple(apart))


def _keys(path: str) -> tuple[str, ...]:
    return ("process_protocol",) if path == "process" else (path,)


def _same(asked: str, said: str) -> bool:
    if format_word(asked).casefold() == format_word(said).casefold():
        return True
    try:
        return Fraction(asked) == Fraction(said)
    except (ValueError, ZeroDivisionError):
        return False


def _other_card(found: Stated, fiche: Fiche, cards: Sequence[Card], who: str) -> str:
    """The sentence for a device that is no candidate's card; empty where it is one's."""
    asked = dict.fromkeys(candidate.gpu for candidate in fiche.candidates)
    if found.value in asked:
        return ""
    own = [candidate.card for candidate in fiche.candidates if candidate.card is not None]
    named = {card.id for card in cards_printing(found.value, [*cards, *own])}
    if named & set(asked):
        return ""
    names = ", ".join(asked)
    return f"gpu: the candidates are {names}, {who} says {visible(found.printed)} ({found.place})"


# --- Missing --------------------------------------------------------------------------------------


def missing(reading: Reading, fiche: Fiche) -> tuple[str, ...]:
    """What the criteria that use such a file compare and it does not state, by the keys of a scope."""
    told = {*_facts(reading), *stated(reading)}
    told |= {"gpu"} if "gpu" in _facts(reading) else set()
    asked = {*fiche.workload.facts, *fiche.workload.figures}
    wanted = [
        path
        for criterion in _criteria(reading)
        for path in _first(_strict(criterion, fiche), told)
        if path not in _IF_ASKED or path in asked
    ]
    of_a_device = bool(reading.failures or reading.runs or not reading.results)
    wanted += ["gpu", "machine"] if of_a_device else []
    return tuple(
        path for path in dict.fromkeys(wanted) if path not in ("gpu", "machine") or path not in told
    )


def _criteria(reading: Reading) -> Iterator[str]:
    """The criteria that compare a whole scope with such a file: runs and failures, and scores.

    Of other figures only the card and the machine are compared; of throughputs and latencies nothing.
    """
    if reading.failures or reading.runs:
        yield "memory"
    if any(result.unit == _SCORE for result in reading.results):
        yield "quality"


def _strict(criterion: str, fiche: Fiche) -> Iterator[str]:
    """The facts that the policy lists for a criterion and the fiche's operation."""
    operation = fiche.workload.facts.get("operation")
    yield from fiche.policy.strict.get(criterion, ())
    if operation is not None:
        yield from fiche.policy.strict.get(f"{criterion}.{operation.value}", ())


def _first(strict: Iterable[str], told: set[str]) -> Iterator[str]:
    """The paths that are not told; of alternatives the first, where none is told."""
    for entry in strict:
        options = [_NAMES.get(path, path) for path in entry.split("|")]
        if not entry.endswith(".*") and not told & {*options, *entry.split("|")}:
            yield options[0]
