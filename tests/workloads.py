"""Workloads for tests, in the words of a fiche: numbers become stated figures, words become facts."""

from fiche.kernel.address import Span
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Assumed, Stated
from fiche.kernel.unit import BYTE, count_of
from fiche.kernel.workload import Case, Workload

GIB = 2**30
SPAN = Span(file="chat.yaml", line=1, column=1)


def stated(name, value, unit=None):
    unit = count_of(name.rsplit(".", 1)[-1].rsplit("_", 1)[-1]) if unit is None else unit
    return Figure(low=value, high=value, unit=unit, origin=Stated(span=SPAN), id=name, label=name)


def fact(value):
    return Fact(value=value, address=SPAN)


def case(name="limit", **dimensions):
    prefix = f"{name}." if name else ""
    figures = {key: stated(prefix + key, value) for key, value in dimensions.items()}
    return Case(id=name, role="limit", dimensions=figures, phases=(), span=SPAN)


def reserve(name, value):
    origin = Assumed(by="A. Martin", because="seen once", span=SPAN)
    return Figure(low=value, high=value, unit=BYTE, origin=origin, id=f"reserve.{name}", label=name)


def workload(*cases, reserve=(), margin=(), **told):
    """`workload(model__parameters=7e9 as int, formats__storage="bf16")`: `__` stands for a dot."""
    paths = {key.replace("__", "."): value for key, value in told.items()}
    return Workload(
        facts={path: fact(value) for path, value in paths.items() if isinstance(value, str)},
        figures={path: stated(path, v) for path, v in paths.items() if not isinstance(v, str)},
        cases=cases,
        reserve=tuple(reserve),
        margin=tuple(margin),
    )


LLAMA = {
    "operation": "generation",
    "model__parameters": 7_000_000_000,
    "model__layers": 32,
    "model__kv_heads": 8,
    "model__head_dim": 128,
    "formats__storage": "bf16",
    "formats__cache": "bf16",
}
