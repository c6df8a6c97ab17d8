"""The run of one case on one candidate's machine, as a step: its command, or what to wrap instead (D6, C8)."""

from __future__ import annotations

from fiche.evaluate import _commands
from fiche.evaluate.rejudge import Judged
from fiche.kernel.condition import Condition
from fiche.kernel.decision import Outcome
from fiche.kernel.finding import Finding
from fiche.kernel.record import replace
from fiche.kernel.said import tell
from fiche.kernel.settling import MEASUREMENT, Step
from fiche.kernel.workload import Case

_NO_DOOR = (tell("whether a ready workload runs it was not asked"),)
_STORED = tell(
    "A run of fiche measure wants the checkpoint's .safetensors beside the model's "
    "config.json: random weights do not answer for model_load, which the case asks for."
)
_ATTESTED = tell(
    "A record of fiche run carries phases and dimensions on your word; a program that "
    "names its phases with fiche.recorder shows what it executed (docs/measure.md)."
)


def case_to_run(finding: Finding, told: tuple[Condition, ...]) -> str:
    """The case that its conditions ask to run (the most demanding one), else the finding's own."""
    return next((one.case for one in told if one.case), finding.case)


def run_step(judged: Judged, outcome: Outcome, place: _commands.Place, case_id: str) -> Step:
    """The step without what it settles; a case that nobody has stated yet has no command."""
    who = outcome.candidate
    devices = f"{place.devices} x {who.gpu}" if place.devices > 1 else who.gpu
    step = Step(
        id=f"run:{_commands.named(case_id or 'case', who.id)}",
        kind=MEASUREMENT,
        text=_asked(case_id, devices, place.machine),
        supplier=tell("whoever can run it"),
        settles=(),
        machine=place.machine,
    )
    case = next((one for one in who.workload.cases if one.id == case_id), None)
    return step if case is None else _with_command(step, judged, outcome, place, case)


def _asked(case_id: str, devices: str, machine: str) -> str:
    if not case_id:
        return tell(
            "run the whole loop of the case, once it is stated, on {devices}, machine {machine}",
            devices=devices,
            machine=machine,
        )
    return tell(
        "run the whole loop of case '{case}' on {devices}, machine {machine}",
        case=case_id,
        devices=devices,
        machine=machine,
    )


def load_key(outcome: Outcome, place: _commands.Place, case_id: str) -> tuple[object, ...]:
    """What makes two candidates' runs the same run: machine, card, and every word and number of the load."""
    load = outcome.candidate.workload
    case = next((one for one in load.cases if one.id == case_id), None)
    sizes = {} if case is None else case.dimensions
    return (
        *(place.machine, place.gpu, place.devices, case_id),
        tuple(sorted((path, told.value) for path, told in load.facts.items())),
        tuple(sorted((path, told.low, told.high or 0) for path, told in load.figures.items())),
        tuple(sorted((name, size.low) for name, size in sizes.items())),
    )


def _with_command(
    step: Step, judged: Judged, outcome: Outcome, place: _commands.Place, case: Case
) -> Step:
    who, fiche = outcome.candidate, judged.decision.fiche
    piece = _free(judged, _commands.named(case.id, who.id))
    named = () if place.is_told else (_commands.machine_line(who, place),)
    why = _NO_DOOR if judged.ready is None else judged.ready(who.workload, case)
    file = f"{_commands.FOLDER}/{piece}.json"
    if not why:
        loads = not case.phases or "model_load" in case.phases
        return replace(
            step,
            commands=(_commands.measure(fiche, who, case, place, piece),),
            is_ready=True,
            notes=(_STORED,) if loads else (),
            lines=(*named, _commands.piece_line(piece, file)),
        )
    ran = (_commands.run(case, place, piece), _commands.imported(fiche, place, piece))
    merged = (_commands.piece_line(piece, file),) if place.devices > 1 else ()
    return replace(step, commands=ran, why=why, notes=(_ATTESTED,), lines=(*named, *merged))


def _free(judged: Judged, name: str) -> str:
    """An id that no piece has, and so a file that none has: a measurement is never written over another."""
    pieces = judged.decision.fiche.pieces
    taken = {piece.id for piece in pieces} | {piece.file for piece in pieces}
    free, number = name, 2
    while free in taken or f"{_commands.FOLDER}/{free}.json" in taken:
        free, number = f"{name}-{number}", number + 1
    return free
