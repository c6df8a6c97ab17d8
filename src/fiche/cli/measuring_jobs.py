"""From the options of `fiche measure` to jobs: what runs, and the series it belongs to."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fiche.cli import running_words
from fiche.cli.measure_options import NAMES
from fiche.cli.measuring_plan import Plan, Variable, digest, no_plan, plan_of
from fiche.cli.usage import together, unknown
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record, replace
from fiche.measure.job import Job
from fiche.measure.protocol.heading import identifier
from fiche.measure.protocol.places import rank_of
from fiche.measure.workloads import ReadyWorkload, ready

_BY_OPERATION = {"generation": "generation", "training": "training", "adaptation": "training"}
_ORDERINGS = {
    "both": ("phased", "whole_loop"),
    "phased": ("phased",),
    "whole-loop": ("whole_loop",),
}
_POLICIES = {"never": "never", "between-repeats": "between_repeats"}
_WARMUPS, _REPEATS = 1, 2


@record
class Asked:
    """One job without its place in a series, the orderings it runs in, and the plan of the series.

    `notes` are what its record will leave open, in sentences.
    """

    job: Job
    workload: ReadyWorkload
    orderings: tuple[str, ...]
    plan: Plan
    notes: tuple[str, ...] = ()


def asked(typed: Mapping[str, Any]) -> Asked:
    """What the options ask for, each word known and each value of its type.

    Raises:
        Refused: F521 an option that the workload has not or a value that is none of it; F522 no plan of
            trials; F540 no id of a card or machine; F701, F702 usage; whatever is wrong with the fiche.
    """
    if Path(typed["output"]).name in ("", ".."):
        raise Refused([together(f"--output names no file: '{typed['output']}'", "say -o m.json")])
    told = of_fiche(typed)
    workload = workload_of(typed, told)
    options = {**told.get("options", {}), **options_of(typed, workload)}
    plan = plan_of(typed, workload)
    changed = {*options_of(typed, workload), plan.variable.name if plan.variable else ""}
    frontier = plan.kind == "frontier"
    job = Job(
        workload=workload.name,
        output=str(typed["output"]),
        device=typed["device"],
        options=options,
        words=told.get("words", {}),
        warmups=0 if frontier else _or(typed["warmup"], _WARMUPS),
        repeats=0 if frontier else _or(typed["repeats"], _REPEATS),
        empty_cache=_word(_POLICIES, "policy", typed["empty_cache"]),
        seed=_or(typed["seed"], told.get("seed", 0)),
        # Changed dimensions are no longer those of the case.
        case="" if changed & {*told.get("options", {})} else str(told.get("case", "")),
        environment=told.get("environment_variables", {}),
        gpu=running_words.identifier("--gpu", typed["gpu"] or "") or told.get("gpu") or "",
        machine=running_words.identifier("--machine", typed["machine"] or "")
        or told.get("machine")
        or "",
    )
    ordering = "whole-loop" if frontier else typed["ordering"] or "both"
    return Asked(
        job=job,
        workload=workload,
        orderings=_word(_ORDERINGS, "ordering", ordering),
        plan=plan,
        notes=tuple(told.get("notes", ())),
    )


def _or(typed: int | None, otherwise: int) -> int:
    return otherwise if typed is None else typed


def _word(known: Mapping[str, Any], kind: str, typed: str) -> Any:  # noqa: ANN401
    if typed not in known:
        raise Refused([unknown(kind, typed, known)])
    return known[typed]


def of_fiche(typed: Mapping[str, Any], *, placed: bool = False) -> dict[str, Any]:
    """Kind, options and words of one case of a fiche; nothing where none is named. `placed` as `job_words`.

    Raises:
        Refused: F702 half of what names a case; whatever is wrong with the fiche; F530 to F532 as `job_words`.
    """
    fiche, case = typed["from_"], typed["case"]
    if fiche is None:
        alone = [f"--{n}" for n in ("case", "candidate") if typed[n] is not None]
        if alone:
            raise Refused([together(f"{', '.join(alone)}: no fiche is named", "say --from FICHE")])
        return {}
    if case is None:
        raise Refused([together("--from takes one case of the fiche", "name it: --case ID")])
    from fiche.cli.measured_from import job_words

    named = (fiche, case, typed["candidate"])
    return dict(job_words(*named, placed=True) if placed else job_words(*named))


def workload_of(typed: Mapping[str, Any], told: Mapping[str, Any]) -> ReadyWorkload:
    """The ready workload of a fiche's case, or else of the options.

    Raises:
        Refused: F701, F702 no such operation, or one without a model.
    """
    if told:
        return ready(str(told["workload"]))
    operation = typed["operation"]
    if typed["model"] is None and operation is None:
        return ready("dense")
    if typed["model"] is None:
        message = "--operation is that of a model, and none is named"
        raise Refused([together(message, "name its configuration: --model FOLDER")])
    return ready(_word(_BY_OPERATION, "operation", operation or "generation"))


def options_of(typed: Mapping[str, Any], workload: ReadyWorkload) -> dict[str, Any]:
    """The workload's options that were typed, each known and of its type.

    Raises:
        Refused: F521 an option that it has not, a value that is none; F702 a `--set` without a value.
    """
    told = {name: typed[name] for name in NAMES if typed[name] not in (None, False)}
    if "operation" not in workload.options:  # it chose the workload
        told.pop("operation", None)
    for text in typed["set"] or ():
        name, sign, value = text.partition("=")
        if not sign:
            raise Refused([together(f"'{text}' sets nothing", "write it as NAME=VALUE")])
        told[name.strip().replace("-", "_")] = value.strip()
    wrong = [name for name in told if name not in workload.options]
    if wrong:
        raise Refused(_of_another(name, workload) for name in wrong)
    return {name: Variable(name, workload.options[name]).value(told[name]) for name in told}


def _of_another(name: str, workload: ReadyWorkload) -> Diagnostic:
    known = ", ".join(each.replace("_", "-") for each in workload.options)
    message = f"{name.replace('_', '-')} is no option of the workload {workload.name}"
    return Diagnostic(code="F521", message=message, address=None, hint=f"it has {known}")


def jobs(asked: Asked) -> list[Job]:
    """Every job in the order in which it runs, each with an output of its own (C7).

    Raises:
        Refused: F522 two values make one file name.
    """
    plan, start = asked.plan, run_id(asked.job.output)
    trials = list(enumerate(plan.points, start=1))
    if plan.shuffle is not None:
        random.Random(plan.shuffle).shuffle(trials)
    order = _order(asked, [point for _, point in trials])
    made = []
    for number, point in trials:
        for ordering in asked.orderings:
            one = at_point(asked, point, number, order)
            run = identifier(f"{start}.{number}" if plan.kind else start)
            output = _whole(one.output) if ordering != asked.orderings[0] else one.output
            made.append(replace(one, ordering=ordering, output=output, run=run))
    if len({job.output for job in made}) < len(made):
        hint = "measure them one by one, each with its --output"
        raise Refused([no_plan("two of these values make one file name", hint)])
    if not plan.kind:
        return made
    places = [{**(job.plan or {}), "index": n, "of": len(made)} for n, job in enumerate(made)]
    return [replace(job, plan=place) for job, place in zip(made, places, strict=True)]


def at_point(asked: Asked, point: Any, number: int, order: str) -> Job:  # noqa: ANN401
    """The job of one trial of the series: `point` is the value of the variable, or None."""
    job, plan = asked.job, asked.plan
    if not plan.kind:
        return replace(job, order=order)
    place: dict[str, Any] = {"kind": plan.kind, "digest": digest(asked.job, plan)}
    label, options = str(number), dict(job.options)
    if plan.variable is not None:
        label = identifier(f"{plan.variable.name}-{point}".replace("_", "-"))
        place |= {"variable": plan.variable.name, "value": str(point)}
        options[plan.variable.name] = point
    output = between(Path(job.output), label)
    return replace(job, options=options, output=str(output), order=order, plan=place)


def between(path: Path, label: str) -> Path:
    """`m.json` as `m.LABEL.json`."""
    return path.with_name(f"{path.stem}.{label}{path.suffix}")


def _whole(output: str) -> str:
    return str(between(Path(output), "whole"))


def run_id(output: str) -> str:
    """An id for the records of one run; where a run surrounds this one, or a launcher, it is theirs."""
    stem, around = Path(output).stem[:60], os.environ.get("FICHE_RUN_ID")
    if around:
        return identifier(around)
    if rank_of() is not None:  # the same in every rank
        launched = [os.environ.get(name, "") for name in ("TORCHELASTIC_RUN_ID", "MASTER_PORT")]
        return identifier("-".join([stem, *launched]))
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return identifier(f"{stem}-{stamp}-{os.urandom(3).hex()}")


def _order(asked: Asked, points: Sequence[Any]) -> str:
    """The order of trials in words, for each record (C7)."""
    each = " then ".join(ordering.replace("_", " ") for ordering in asked.orderings)
    plan = asked.plan
    if plan.variable is not None:
        values = ", ".join(str(point) for point in points)
        how = "as typed" if plan.shuffle is None else f"shuffled with seed {plan.shuffle}"
        return f"{plan.variable.name} {values}, {how}; {each}, each in a fresh process"[:500]
    if plan.kind:
        return f"{len(points)} times {each}, each in a fresh process"
    return f"{each}, each in a fresh process"
