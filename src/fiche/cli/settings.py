"""Settings of a workload typed on the command line: `engine.name=vllm`, `prompt_tokens=8192`."""

from __future__ import annotations

from fiche.cli.usage import together, unknown
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
_FILES = ("model.config", "model.tensors")


_LISTS = {"method.targets": "method_targets", "method.modules_to_save": "modules_to_save"}


def with_setting(workload: Workload, path: str, text: str) -> Workload:
    """The workload with one path set: a term of the workload, or a dimension of its cases.

    `prompt_tokens` sets every case, `cases.limit.prompt_tokens` one of them; a list has commas between.

    Raises:
        Refused: F701 no workload has such a path or word, F305 the number is too small, F702 the path is that
            of a file, or the code of a count that cannot be read.
    """
    from fiche.load.vocabulary import RENAMED, dimension_terms, term

    if path in _LISTS:
        listed = tuple(word for word in text.split(",") if word)
        return replace(workload, **{_LISTS[path]: listed})
    steps = path.split(".")
    dimension = steps[-1]
    of_one_case = len(steps) == 3 and steps[0] == "cases" and steps[1] != ""
    if dimension in dimension_terms() and (len(steps) == 1 or of_one_case):
        return _dimension(workload, steps[1] if of_one_case else None, dimension, text)
    told = term(path)
    if told is None:
        raise Refused([unknown("setting", path, _known())])
    if path in _FILES:
        raise Refused([together(f"{path} names a file", "name the model itself with --model")])
    if told.is_count:
        figure = at_least(told.least, path, count(path, path, text))
        return replace(workload, figures={**workload.figures, path: figure})
    if told.words and text not in told.words:
        raise Refused([unknown(path, text, told.words)])
    figures = {key: one for key, one in workload.figures.items() if key != path}
    if ".settings." in path and text.isdecimal():
        figures[path] = count(path, path, text)
    facts = {**workload.facts, RENAMED.get(path, path): Fact(value=text, address=HERE)}
    return replace(workload, facts=facts, figures=figures)


def settings(workload: Workload, typed: list[str]) -> Workload:
    """The workload with every `PATH=VALUE` set, in the order typed.

    Raises:
        Refused: F702 one has no `=`, F327 ways of a cut that are not the devices, or what `with_setting`
            refuses.
    """
    for each in typed:
        path, equals, value = each.partition("=")
        if not equals or not path or not value:
            message, hint = f"'{each}' is no setting", "write it as PATH=VALUE: engine.name=vllm"
            raise Refused([Diagnostic(code="F702", message=message, address=None, hint=hint)])
        workload = with_setting(workload, path, value)
    if any(each.startswith("placement.") for each in typed):
        _check_devices(workload)
    return workload


def _check_devices(workload: Workload) -> None:
    from fiche.load.placement import ALL_WAYS, other_devices

    message = other_devices(workload)
    if message:
        raise Refused([Diagnostic(code="F327", message=message, address=None, hint=ALL_WAYS)])


def at_least(least: int, said: str, figure: Figure) -> Figure:
    """The figure, where a fiche could state it too.

    Raises:
        Refused: F305 it is below what the schema asks for.
    """
    if figure.low >= least:
        return figure
    message = f"{said}: {figure.low} is below {least}"
    hint = f"'{said.rsplit('.', 1)[-1]}' is at least {least}"
    raise Refused([Diagnostic(code="F305", message=message, address=None, hint=hint)])


def count(path: str, id: str, text: str, said: str = "") -> Figure:
    """A whole number typed for a path, as a stated figure of that id; `said` is the option typed, if any.

    Raises:
        Refused: it is no plain whole number.
    """
    read = parse_count(text, counted(path))
    if isinstance(read, Misread):
        message = f"{said or path}: {read.message}"
        raise Refused([Diagnostic(code=read.code, message=message, address=None, hint=read.hint)])
    origin = Stated(span=None, because=f"typed: {said or path}={text}")
    label = path.rsplit(".", 1)[-1].replace("_", " ")
    return Figure(
        low=read.value, high=read.value, unit=read.unit, origin=origin, id=id, label=label
    )


def _dimension(workload: Workload, name: str | None, dimension: str, text: str) -> Workload:
    """One dimension of the case of this name, of all cases where it is None."""
    cases = workload.cases or (Case(id="", role="", dimensions={}, phases=(), span=HERE),)
    if name is not None and name not in {case.id for case in cases}:
        raise Refused([unknown("case", name, [case.id for case in cases])])
    return replace(
        workload,
        cases=tuple(
            with_dimension(case, dimension, text) if name in (None, case.id) else case
            for case in cases
        ),
    )


def with_dimension(case: Case, dimension: str, text: str) -> Case:
    """The case with one of its dimensions set.

    Raises:
        Refused: it is no whole number, or below what the schema asks for.
    """
    from fiche.load.vocabulary import dimension_terms

    id = f"{case.id}.{dimension}" if case.id else dimension
    told = at_least(dimension_terms()[dimension].least, dimension, count(dimension, id, text))
    return replace(case, dimensions={**case.dimensions, dimension: told})


def _known() -> list[str]:
    from fiche.load.vocabulary import dimension_terms, workload_terms

    return [*workload_terms(), *_LISTS, *dimension_terms()]
