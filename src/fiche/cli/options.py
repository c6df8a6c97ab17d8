"""The options of `fiche estimate`, and the workload that they or a fiche state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fiche.cli.settings import HERE, at_least, count, settings
from fiche.cli.usage import together, unknown
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.number import Misread
from fiche.kernel.origin import Assumed
from fiche.kernel.quantity import Quantity, parse_bytes
from fiche.kernel.record import field_names, record, replace
from fiche.kernel.workload import Case, Workload

OPERATIONS = ("training", "adaptation", "generation")
_WHY = "chosen on the command line, not measured"


@record
class Options:
    """The options as typed; None or nothing where one was not given."""

    model: str | None = None
    parameters: str | None = None
    bits: str | None = None
    format: str | None = None
    reserve_gib: str | None = None
    reserve_gb: str | None = None
    operation: str | None = None
    engine: str | None = None
    engine_version: str | None = None
    layers: str | None = None
    kv_heads: str | None = None
    head_dim: str | None = None
    tokens: str | None = None
    sequences: str | None = None
    cache: str | None = None
    cache_bits: str | None = None
    set: tuple[str, ...] = ()
    solve: str | None = None
    on: str | None = None
    sweep: tuple[str, ...] = ()
    grid: bool = False
    cards: bool = False
    csv: bool = False
    json: bool = False

    @classmethod
    def typed(cls, parameters: Mapping[str, Any]) -> Options:
        """The options among all parameters of a command."""
        many = ("set", "sweep")
        told = {name: parameters[name] for name in cls.__annotations__}
        return cls(**{**told, **{name: tuple(told[name] or ()) for name in many}})

    def told(self) -> tuple[str, ...]:
        """The options that define a workload and were given, as they are typed."""
        given = (name for name in field_names(self) if getattr(self, name) not in (None, (), False))
        return tuple(f"--{name.replace('_', '-')}" for name in given if name not in _ASKED)


# What is asked of a workload, and what changes it: these go with a fiche too.
_ASKED = ("set", "solve", "on", "sweep", "grid", "cards", "csv", "json")
_COUNTS = {
    "parameters": "model.parameters",
    "layers": "model.layers",
    "kv_heads": "model.kv_heads",
    "head_dim": "model.head_dim",
    "bits": "formats.storage_bits",
    "cache_bits": "formats.cache_bits",
}
_DIMENSIONS = {"tokens": "context_tokens", "sequences": "resident_sequences"}
_WORDS = {
    "operation": "operation",
    "engine": "engine.name",
    "engine_version": "engine.version",
    "cache": "formats.cache",
}
_OF_A_CACHE = ("layers", "kv_heads", "head_dim", "tokens", "sequences", "cache", "cache_bits")
_OF_A_GENERATION = (
    "context",
    "concurrency",
    "cache",
    "prompt_tokens",
    "new_tokens",
    "resident_sequences",
)


def asked_workload(fiche: Path | None, case: str | None, options: Options) -> Workload:
    """The workload of a fiche, cut to one case where one is named, or that of the options.

    Raises:
        Refused: F701 an unknown case, operation or setting, F702 options that do not go together, and
            whatever is wrong with the fiche, the model's files or a quantity.
    """
    if fiche is not None:
        return settings(_of_fiche(fiche, case, options), list(options.set))
    if case is not None:
        raise Refused([together("--case names a case of a fiche", "name the fiche too")])
    if not options.told():
        hint = "name a fiche or a --model, or start with --parameters 7000000000 --bits 16"
        raise Refused([together("nothing to estimate", hint)])
    return settings(_of_options(options), list(options.set))


def _of_fiche(fiche: Path, case: str | None, options: Options) -> Workload:
    if options.told():
        message = f"{', '.join(options.told())} and a fiche both define the workload"
        hint = "change the fiche, leave it out, or try one thing with --set"
        raise Refused([together(message, hint)])
    from fiche.cli.compile import importers
    from fiche.load.fiche import load_fiche

    workload = load_fiche(fiche, importers()).fiche.workload
    if case is None:
        return workload
    chosen = tuple(each for each in workload.cases if each.id == case)
    if not chosen:
        raise Refused([unknown("case", case, [each.id for each in workload.cases])])
    return replace(workload, cases=chosen)


def _of_options(options: Options) -> Workload:
    refusals = list(_contradictions(options))
    figures: dict[str, Figure] = {}
    for name, path in {**_COUNTS, **_DIMENSIONS}.items():
        text = getattr(options, name)
        if text is not None:
            _counted(f"--{name.replace('_', '-')}", path, text, figures, refusals)
    reserve = tuple(_reserve(options, refusals))
    if refusals:
        raise Refused(refusals)
    dimensions = {key: figures.pop(key) for key in _DIMENSIONS.values() if key in figures}
    case = Case(id="", role="", dimensions=dimensions, phases=(), span=HERE)
    facts = _facts(options)
    load = Workload(facts=facts, figures=figures, cases=(case,), reserve=reserve)
    return load if options.model is None else _with_model(load, options.model)


def _with_model(load: Workload, source: str) -> Workload:
    from fiche.cli.models import described

    found = described(source)
    told = {"model.name": found.name, "model.revision": found.revision}
    facts = {path: Fact(value=value, address=HERE) for path, value in told.items() if value}
    return replace(load, model=found.model, facts={**facts, **load.facts})


def _contradictions(options: Options) -> Iterator[Diagnostic]:
    if options.reserve_gib is not None and options.reserve_gb is not None:
        yield together("--reserve-gib and --reserve-gb are two reserves", "keep one of them")
    if options.bits is not None and options.format is not None:
        yield together("--bits and --format both state the stored format", "keep one of them")
    if options.cache_bits is not None and options.cache is not None:
        yield together("--cache-bits and --cache both state the cached format", "keep one of them")
    if options.model is not None and (options.parameters or options.bits):
        yield together(
            "--model has its own parameters and formats", "leave --parameters, --bits out"
        )
    if options.operation is not None and options.operation not in OPERATIONS:
        yield unknown("operation", options.operation, OPERATIONS)
    elif options.operation not in (None, "generation") and _of_cache(options):
        names = ", ".join(_of_cache(options))
        yield together(f"{names} describe the KV cache of a generation", "leave them out")


def _of_cache(options: Options) -> tuple[str, ...]:
    names = {f"--{name.replace('_', '-')}" for name in _OF_A_CACHE}
    return tuple(name for name in options.told() if name in names)


def _facts(options: Options) -> dict[str, Fact]:
    told = {path: getattr(options, name) for name, path in _WORDS.items()}
    told["operation"] = options.operation or ("generation" if _generates(options) else None)
    told["formats.loaded" if options.model is not None else "formats.storage"] = options.format
    return {
        path: Fact(value=value, address=HERE) for path, value in told.items() if value is not None
    }


def _generates(options: Options) -> bool:
    """What describes a cache, or asks how far one goes, is a generation."""
    typed = (each.partition("=")[0] for each in (*options.sweep, *options.set))
    named = [options.solve or "", *typed]
    return bool(_of_cache(options)) or any(name in _OF_A_GENERATION for name in named)


def _counted(
    option: str, path: str, text: str, into: dict[str, Figure], refusals: list[Diagnostic]
) -> None:
    try:  # a fiche may state none of them as zero
        read = at_least(1, option, count(path, path, text, option))
        into[path] = replace(read, label=option[2:].replace("-", "_"))
    except Refused as refused:
        refusals.extend(refused.diagnostics)


def _reserve(options: Options, refusals: list[Diagnostic]) -> Iterator[Figure]:
    for text, unit in ((options.reserve_gib, "GiB"), (options.reserve_gb, "GB")):
        if text is None:
            continue
        read = parse_bytes(f"{text} {unit}")
        if isinstance(read, Misread):
            message = f"--reserve-{unit.lower()}: {read.message}"
            refusals.append(
                Diagnostic(code=read.code, message=message, address=None, hint=read.hint)
            )
        else:
            yield _assumed(read)


def _assumed(read: Quantity) -> Figure:
    origin = Assumed(by="command line", because=_WHY, span=None)
    return Figure(
        low=read.value,
        high=read.value,
        unit=read.unit,
        origin=origin,
        id="reserve.chosen",
        label="reserve",
    )
