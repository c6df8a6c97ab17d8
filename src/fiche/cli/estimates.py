"""What `fiche estimate` computes and shows: a workload from options or from a fiche, and its sums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from fiche.cli.usage import together, unknown
from fiche.estimators import figures, load_items
from fiche.kernel.address import Span
from fiche.kernel.catalog import Card
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.doors import Estimator
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure, Node
from fiche.kernel.number import Misread
from fiche.kernel.origin import Assumed, Stated
from fiche.kernel.quantity import Quantity, parse_bytes, parse_count
from fiche.kernel.record import field_names, record, replace
from fiche.kernel.workload import Case, Workload
from fiche.registry import members

OPERATIONS = ("training", "adaptation", "generation")
_HERE = Span(file="command line", line=1, column=1)
_WHY = "chosen on the command line, not measured"


@record
class Options:
    """The options as typed; None where one was not given."""

    parameters: str | None = None
    bits: str | None = None
    format: str | None = None
    reserve_gib: str | None = None
    reserve_gb: str | None = None
    operation: str | None = None
    layers: str | None = None
    kv_heads: str | None = None
    head_dim: str | None = None
    tokens: str | None = None
    sequences: str | None = None
    cache_bits: str | None = None

    @classmethod
    def typed(cls, parameters: Mapping[str, str | None]) -> Options:
        """The options among all parameters of a command."""
        return cls(**{name: parameters[name] for name in cls.__annotations__})

    def told(self) -> tuple[str, ...]:
        """The options that were given, as they are typed."""
        given = (name for name in field_names(self) if getattr(self, name) is not None)
        return tuple(f"--{name.replace('_', '-')}" for name in given)


_STATED = {
    "parameters": "model.parameters",
    "layers": "model.layers",
    "kv_heads": "model.kv_heads",
    "head_dim": "model.head_dim",
    "bits": "formats.storage_bits",
    "cache_bits": "formats.cache_bits",
}
_DIMENSIONS = {"tokens": "context_tokens", "sequences": "resident_sequences"}
_OF_A_CACHE = ("layers", "kv_heads", "head_dim", "tokens", "sequences", "cache_bits")


@record
class Estimate:
    """A workload, every named figure of it, and the nodes to show: items, then envelopes."""

    workload: Workload
    figures: dict[str, Node]
    items: tuple[Node, ...]
    envelopes: tuple[Figure, ...]


def estimate_of(workload: Workload) -> Estimate:
    """All sums of a workload: its cases, or one without any."""
    estimators = members("fiche.estimators", Estimator)
    named = figures(workload, estimators)
    cases: tuple[Case | None, ...] = workload.cases or (None,)
    items = [item.node for case in cases for item in load_items(workload, case, estimators)]
    sums = [named[f"{case.id}.envelope" if case and case.id else "envelope"] for case in cases]
    return Estimate(
        workload=workload,
        figures=named,
        items=tuple({item.id: item for item in items}.values()),
        envelopes=tuple(each for each in sums if isinstance(each, Figure)),
    )


def candidates_to_examine(found: Estimate) -> tuple[Card, ...]:
    """Cards whose label x 2^30 is not below the largest envelope, smallest label first (F6).

    A module whose parts are devices of their own is no device: its parts are listed.
    """
    from fiche.load.catalog import builtin_catalog

    need = max(each.low for each in found.envelopes)
    able = [
        card
        for card in builtin_catalog().cards.values()
        if {"nominal", "nominal_binary"} <= set(card.figures) and "devices" not in card.figures
        if card.figures["nominal_binary"].low >= need
    ]
    return tuple(sorted(able, key=lambda card: (card.figures["nominal"].low, card.id)))


def asked_workload(fiche: Path | None, case: str | None, options: Options) -> Workload:
    """The workload of a fiche, cut to one case where one is named, or that of the options.

    Raises:
        Refused: F701 an unknown case or operation, F702 options that do not go together, and
            whatever is wrong with the fiche or with a quantity.
    """
    if fiche is not None:
        return _of_fiche(fiche, case, options)
    if case is not None:
        raise Refused([together("--case names a case of a fiche", "name the fiche too")])
    if not options.told():
        hint = "name a fiche, or start with --parameters 7000000000 --bits 16"
        raise Refused([together("nothing to estimate", hint)])
    return _of_options(options)


def _of_fiche(fiche: Path, case: str | None, options: Options) -> Workload:
    if options.told():
        message = f"{', '.join(options.told())} and a fiche both define the workload"
        raise Refused([together(message, "change the fiche, or leave it out")])
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
    figures_ = {}
    for name, path in {**_STATED, **_DIMENSIONS}.items():
        figure = _counted(options, name, path, refusals)
        if figure is not None:
            figures_[path] = figure
    reserve = tuple(_reserve(options, refusals))
    if refusals:
        raise Refused(refusals)
    dimensions = {key: figures_.pop(key) for key in _DIMENSIONS.values() if key in figures_}
    case = Case(id="", role="", dimensions=dimensions, phases=(), span=_HERE)
    return Workload(facts=_facts(options), figures=figures_, cases=(case,), reserve=reserve)


def _contradictions(options: Options) -> Iterator[Diagnostic]:
    if options.reserve_gib is not None and options.reserve_gb is not None:
        yield together("--reserve-gib and --reserve-gb are two reserves", "keep one of them")
    if options.bits is not None and options.format is not None:
        yield together("--bits and --format both state the stored format", "keep one of them")
    if options.operation is not None and options.operation not in OPERATIONS:
        yield unknown("operation", options.operation, OPERATIONS)
    elif options.operation not in (None, "generation") and _of_cache(options):
        names = ", ".join(_of_cache(options))
        yield together(f"{names} describe the KV cache of a generation", "leave them out")


def _of_cache(options: Options) -> tuple[str, ...]:
    names = {f"--{name.replace('_', '-')}" for name in _OF_A_CACHE}
    return tuple(name for name in options.told() if name in names)


def _facts(options: Options) -> dict[str, Fact]:
    operation = options.operation or ("generation" if _of_cache(options) else None)
    told = {"operation": operation, "formats.storage": options.format}
    return {
        path: Fact(value=value, address=_HERE) for path, value in told.items() if value is not None
    }


def _counted(options: Options, name: str, path: str, refusals: list[Diagnostic]) -> Figure | None:
    text: str | None = getattr(options, name)
    if text is None:
        return None
    option = f"--{name.replace('_', '-')}"
    read = parse_count(text, path.rsplit(".", 1)[-1].rsplit("_", 1)[-1])
    if isinstance(read, Misread):
        refusals.append(_misread(option, read))
        return None
    origin = Stated(span=None, because=f"option {option}")
    return Figure(
        low=read.value, high=read.value, unit=read.unit, origin=origin, id=path, label=name
    )


def _reserve(options: Options, refusals: list[Diagnostic]) -> Iterator[Figure]:
    for text, unit in ((options.reserve_gib, "GiB"), (options.reserve_gb, "GB")):
        if text is None:
            continue
        read = parse_bytes(f"{text} {unit}")
        if isinstance(read, Misread):
            refusals.append(_misread(f"--reserve-{unit.lower()}", read))
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


def _misread(option: str, read: Misread) -> Diagnostic:
    return Diagnostic(
        code=read.code, message=f"{option}: {read.message}", address=None, hint=read.hint
    )
