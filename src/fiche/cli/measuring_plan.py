"""Plans of trials: repeated processes, one variable over values, the search for a frontier (D6, C7, C11)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from fiche.cli.usage import together, unknown
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record
from fiche.measure.frontier import Extent, default_step
from fiche.measure.job import Job
from fiche.measure.workloads import ReadyWorkload

_TYPES = {int: "a whole number in plain digits", bool: "true or false"}
_MOST_DIGITS = 15
_FOR_A_FRONTIER = ("step", "max_trials", "max_minutes", "resume")


@record(kw_only=False)
class Variable:
    """An option of a workload, and its type."""

    name: str
    kind: type

    def value(self, typed: Any) -> Any:  # noqa: ANN401 - of the option's own type
        """The value of a text.

        Raises:
            Refused: F521 it is none of that type.
        """
        if not isinstance(typed, str) or self.kind is str:
            return typed
        if (
            self.kind is int
            and typed.isdecimal()
            and typed.isascii()
            and len(typed) <= _MOST_DIGITS
        ):
            return int(typed)
        if self.kind is bool and typed in ("true", "false"):
            return typed == "true"
        hint = f"write {_TYPES.get(self.kind, self.kind.__name__)}"
        message = f"{self.name.replace('_', '-')}: {typed!r} is no value of it"
        raise Refused([Diagnostic(code="F521", message=message, address=None, hint=hint)])


@record
class Plan:
    """What the trials are: `kind` as in a record's `series.plan`, empty for one measurement.

    `points` are the values of the variable in order (None where there is none). A frontier has an
    `extent` instead, and bounds on this call.
    """

    kind: str = ""
    variable: Variable | None = None
    points: tuple[Any, ...] = (None,)
    shuffle: int | None = None
    extent: Extent | None = None
    step_asked: bool = False
    max_trials: int | None = None
    max_minutes: int | None = None

    @property
    def searched(self) -> tuple[Variable, Extent]:
        """Variable and range of a frontier; for any other plan that is a defect of the caller."""
        if self.variable is None or self.extent is None:
            raise ValueError("this plan searches nothing")
        return self.variable, self.extent


def plan_of(typed: Mapping[str, Any], workload: ReadyWorkload) -> Plan:
    """The plan that the options state.

    Raises:
        Refused: F522 two plans, two variables, or a text that is none; F701 an unknown variable.
    """
    varied, searched = typed["vary"] or [], typed["frontier"] or []
    refusals = list(_contradictions(typed, varied, searched))
    if refusals:
        raise Refused(refusals)
    if varied:
        name, _, values = varied[0].partition("=")
        return _vary(varied[0], variable(name, workload), values, typed["shuffle"])
    if searched:
        return _frontier(searched[0], workload, typed)
    again = typed["repeat_process"]
    return Plan() if again is None else Plan(kind="repeat_process", points=(None,) * again)


def _contradictions(
    typed: Mapping[str, Any], varied: list[str], searched: list[str]
) -> Iterator[Diagnostic]:
    told = {
        "--vary": varied,
        "--frontier": searched,
        "--repeat-process": typed["repeat_process"],
    }
    plans = [option for option, value in told.items() if value]
    if len(plans) > 1:
        yield no_plan(f"{' and '.join(plans)} are two plans of trials", "keep one of them")
    for option, given in (("--vary", varied), ("--frontier", searched)):
        if len(given) > 1:
            yield no_plan(f"{option} is said twice", "one variable changes at a time")
    if typed["shuffle"] is not None and not varied:
        yield no_plan("--shuffle orders the values of --vary", "leave it out")
    alone = [f"--{n.replace('_', '-')}" for n in _FOR_A_FRONTIER if typed[n]]
    if alone and not searched:
        yield together(
            f"{', '.join(alone)}: no frontier is searched", "say --frontier NAME=LOW:HIGH"
        )
    fixed = [f"--{n}" for n in ("warmup", "repeats", "ordering") if typed[n] is not None]
    if fixed and searched:
        hint = "each trial of a frontier is the first pass of the whole loop"
        yield together(f"{', '.join(fixed)}: a frontier has its own", hint)


def no_plan(message: str, hint: str) -> Diagnostic:
    """F522."""
    return Diagnostic(code="F522", message=message, address=None, hint=hint)


def variable(name: str, workload: ReadyWorkload) -> Variable:
    """The variable of that name.

    Raises:
        Refused: F701 the workload has none; the known ones are listed.
    """
    option = name.strip().replace("-", "_")
    if option not in workload.options:
        raise Refused([unknown("variable", name.strip(), sorted(workload.options))])
    return Variable(option, workload.options[option])


def _vary(text: str, one: Variable, values: str, shuffle: int | None) -> Plan:
    typed = [value.strip() for value in values.split(",") if value.strip()]
    if not typed:
        raise Refused(
            [no_plan(f"'{text}' is no series", "write it as NAME=VALUE,VALUE: batch=1,2,4")]
        )
    points = tuple(one.value(value) for value in typed)
    twice = next((point for point in points if points.count(point) > 1), None)
    if twice is not None:
        hint = "name each value once; --repeat-process measures the same again"
        raise Refused([no_plan(f"{one.name} is {twice} twice", hint)])
    return Plan(kind="vary", variable=one, points=points, shuffle=shuffle)


def _frontier(text: str, workload: ReadyWorkload, typed: Mapping[str, Any]) -> Plan:
    name, _, ends = text.partition("=")
    low, _, high = (end.strip() for end in ends.partition(":"))
    if not (name.strip() and low and high):
        hint = "write it as NAME=LOW:HIGH: context=1024:131072"
        raise Refused([no_plan(f"'{text}' is no range", hint)])
    one = variable(name, workload)
    if one.kind is not int:
        hint = "a frontier is searched over a count"
        raise Refused([no_plan(f"{one.name} is no number", hint)])
    first, last = one.value(low), one.value(high)
    if not 1 <= first < last:
        raise Refused(
            [no_plan(f"{low} to {high} is no range", "from at least 1 to a larger number")]
        )
    step = typed["step"] or default_step(first, last)
    return Plan(
        kind="frontier",
        variable=one,
        extent=Extent(low=first, high=last, step=step),
        step_asked=typed["step"] is not None,
        max_trials=typed["max_trials"],
        max_minutes=typed["max_minutes"],
    )


# What differs between the trials of one plan, or says nothing about what is measured.
_OWN = ("output", "run", "plan", "order", "case")


def digest(job: Job, plan: Plan) -> str:
    """Of everything that the trials of a plan have in common, so that no other trial is taken for one.

    The range and the step of a frontier are not part of it: a wider search goes on from the same trials.
    """
    told = {name: value for name, value in job.json().items() if name not in _OWN}
    name = plan.variable.name if plan.variable is not None else ""
    told["options"] = {key: value for key, value in job.options.items() if key != name}
    told |= {"kind": plan.kind, "variable": name}
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return f"sha256:{hashlib.sha256(text.encode('ascii')).hexdigest()}"
