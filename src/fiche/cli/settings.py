"""Settings of a workload typed on the command line: `engine.name=vllm`, `prompt_tokens=8192`."""

from __future__ import annotations

from fiche.cli.usage import unknown
from fiche.kernel.address import Span
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.number import Misread
from fiche.kernel.origin import Stated
from fiche.kernel.quantity import parse_count
from fiche.kernel.record import replace
from fiche.kernel.unit import counted
from fiche.kernel.workload import Case, Workload

HERE = Span(file="command line", line=1, column=1)


def with_setting(workload: Workload, path: str, text: str) -> Workload:
    """The workload with one path set: a term of the workload, or a dimension of its cases.

    `prompt_tokens` sets every case, `cases.limit.prompt_tokens` one of them.

    Raises:
        Refused: F701 no workload has such a path, or the code of a count that cannot be read.
    """
    from fiche.load.vocabulary import RENAMED, dimension_terms, term

    steps = path.split(".")
    dimension = steps[-1]
    if dimension in dimension_terms() and (len(steps) == 1 or steps[0] == "cases"):
        return _dimension(workload, steps[1] if len(steps) == 3 else "", dimension, text)
    told = term(path)
    if told is None:
        raise Refused([unknown("setting", path, _known())])
    if told.is_count:
        return replace(workload, figures={**workload.figures, path: count(path, path, text)})
    figures = {key: one for key, one in workload.figures.items() if key != path}
    if ".settings." in path and text.isdecimal():
        figures[path] = count(path, path, text)
    facts = {**workload.facts, RENAMED.get(path, path): Fact(value=text, address=HERE)}
    return replace(workload, facts=facts, figures=figures)


def settings(workload: Workload, typed: list[str]) -> Workload:
    """The workload with every `PATH=VALUE` set, in the order typed.

    Raises:
        Refused: F702 one has no `=`, or what `with_setting` refuses.
    """
    for each in typed:
        path, equals, value = each.partition("=")
        if not equals or not path or not value:
            message, hint = f"'{each}' is no setting", "write it as PATH=VALUE: engine.name=vllm"
            raise Refused([Diagnostic(code="F702", message=message, address=None, hint=hint)])
        workload = with_setting(workload, path, value)
    return workload


def count(path: str, id: str, text: str) -> Figure:
    """A whole number typed for a path, as a stated figure of that id.

    Raises:
        Refused: it is no plain whole number.
    """
    read = parse_count(text, counted(path))
    if isinstance(read, Misread):
        message = f"{path}: {read.message}"
        raise Refused([Diagnostic(code=read.code, message=message, address=None, hint=read.hint)])
    origin = Stated(span=None, because=f"typed: {path}={text}")
    label = path.rsplit(".", 1)[-1].replace("_", " ")
    return Figure(
        low=read.value, high=read.value, unit=read.unit, origin=origin, id=id, label=label
    )


def _dimension(workload: Workload, name: str, dimension: str, text: str) -> Workload:
    cases = workload.cases or (Case(id="", role="", dimensions={}, phases=(), span=HERE),)
    if name and name not in {case.id for case in cases}:
        raise Refused([unknown("case", name, [case.id for case in cases])])
    return replace(
        workload,
        cases=tuple(
            with_dimension(case, dimension, text) if name in ("", case.id) else case
            for case in cases
        ),
    )


def with_dimension(case: Case, dimension: str, text: str) -> Case:
    """The case with one of its dimensions set."""
    id = f"{case.id}.{dimension}" if case.id else dimension
    return replace(case, dimensions={**case.dimensions, dimension: count(dimension, id, text)})


def _known() -> list[str]:
    from fiche.load.vocabulary import dimension_terms, workload_terms

    return [*workload_terms(), *dimension_terms()]
