"""Command lines of this tool, and lines of a fiche, as text to copy: nothing here runs them.

Each is for a shell in the fiche's own folder, on the machine that it names.
"""

from __future__ import annotations

from collections.abc import Iterable

from fiche.kernel.decision import Fiche
from fiche.kernel.lazy import lazy
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate
from fiche.kernel.workload import Case

FOLDER = "evidence"
PROGRAM = "your_program.py"
_PLAIN = lazy(r"[A-Za-z0-9_@%+=:,./-]+")
_OF_AN_ID = lazy(r"[^A-Za-z0-9]+")
_MOST = 70
# What `--machine` takes, in measuring and in `fiche environment` (F511, F540).
_MACHINE = lazy(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_CARD = lazy(r"[a-z0-9][a-z0-9._-]{0,99}")


def quoted(word: str) -> str:
    """A word of a POSIX shell: itself where every character stands for itself, else in single quotes."""
    if _PLAIN.fullmatch(word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"


def line(*words: str) -> str:
    """A command line; each word comes out of the shell as it went in."""
    return " ".join(map(quoted, words))


def named(*parts: str) -> str:
    """An id, and so a file's name, from words that may hold anything."""
    found = _OF_AN_ID.sub("-", "-".join(part for part in parts if part)).strip("-")
    return found[:_MOST].rstrip("-") or "piece"


@record
class Place:
    """Where a run is made: the machine by its name, and whether the fiche says that name yet."""

    machine: str
    is_told: bool
    gpu: str
    devices: int


def place_of(candidate: Candidate, taken: Iterable[str]) -> Place:
    """The candidate's machine, or a name to give it: a record has to say on which machine it was made.

    A name that no record may bear is told as a word that one may: the fiche has to say it in that way, too.
    """
    devices = candidate.workload.figures.get("placement.devices")
    count = int((candidate.cards if devices is None else devices).low)
    if _MACHINE.fullmatch(candidate.machine):
        return Place(
            machine=candidate.machine, is_told=True, gpu=candidate.gpu, devices=max(count, 1)
        )
    told = named(candidate.machine) if candidate.machine else named(candidate.id, "machine")
    name, number = told, 2
    while name in taken:
        name, number = f"{told}-{number}", number + 1
    return Place(machine=name, is_told=False, gpu=candidate.gpu, devices=max(count, 1))


def measure(fiche: Fiche, candidate: Candidate, case: Case, place: Place, piece: str) -> str:
    """`fiche measure --from`: the case's own load, in its real order, which is what admits (C8)."""
    return line(
        *("fiche", "measure", "--from", fiche.file, "--case", case.id),
        *("--candidate", candidate.id, "--device", "cuda:0"),
        *(() if place.is_told else ("--machine", place.machine)),
        # A case that lists no phases is asked about with its load, which random weights are not.
        *(() if case.phases else ("--weights", "stored")),
        *("--ordering", "whole-loop", "--output", f"{FOLDER}/{piece}.json"),
    )


def run(case: Case, place: Place, piece: str) -> str:
    """`fiche run`: any program; its phases and dimensions are attested by who runs it, case by case."""
    dims = [
        word
        for name, size in case.dimensions.items()
        for word in ("--dim", f"{name}={int(size.low)}")
    ]
    program: tuple[str, ...] = ("python",)
    if place.devices > 1:
        program = ("torchrun", "--nproc-per-node", str(place.devices))
    return line(
        *("fiche", "run", "--case", case.id),
        # A card that no catalog holds may be written as no record may: its scope is typed then.
        *(("--gpu", place.gpu) if _CARD.fullmatch(place.gpu) else ()),
        *("--machine", place.machine),
        *(("--covers", ",".join(case.phases)) if case.phases else ()),
        *dims,
        *("--output", f"{FOLDER}/{piece}", "--", *program, PROGRAM),
    )


def imported(fiche: Fiche, place: Place, piece: str) -> str:
    """What makes a piece of the records that `fiche run` left: one a process, so of several they are merged."""
    folder = f"{FOLDER}/{piece}"
    if place.devices > 1:
        return line("fiche", "import", folder, "--merge", f"{folder}.json")
    return line("fiche", "import", folder, "--to", fiche.file)


def environment(place: Place, piece: str) -> str:
    """`fiche environment`: what the machine prints of itself, where only its total is missing."""
    device = ("--device", "cuda:0") if place.devices == 1 else ()
    return line(
        *("fiche", "environment", *device, "--machine", place.machine),
        *("--output", f"{FOLDER}/{piece}.json"),
    )


def piece_line(piece: str, file: str) -> str:
    """What to add under `pieces:` once the file is there."""
    return f"- {{id: {piece}, file: {file}}}"


def machine_line(candidate: Candidate, place: Place) -> str:
    """What to add to a candidate whose machine nobody has named.

    One that changes another thing than its cards is on its baseline's machine: F309 refuses a second change.
    """
    changed = candidate.change[0] if candidate.change is not None else ""
    owner = candidate.id if changed in ("", "gpu", "cards") else candidate.baseline
    return f"machine: {place.machine}  # {owner}"
