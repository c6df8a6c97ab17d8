"""How far measurements of one question lie apart: repeats on one machine, of one executed load (C7).

Runs elsewhere, or of a larger load, differ for reasons of their own: pools grow with the room.
"""

from __future__ import annotations

from collections.abc import Mapping

from fiche.criteria._capacity import machine_of
from fiche.criteria._runs import Success
from fiche.kernel.comparison import Inquiry
from fiche.kernel.figure import Figure, Number, larger, smaller
from fiche.kernel.piece import Run
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import tell


def spread_of(
    best: Success | None, covering: tuple[Success, ...], candidate: Candidate, ground: Inquiry
) -> Figure | None:
    """Twice the largest less the smallest peak of the repeats of `best`; None where there is no second one.

    The least of them is what is compared: so much above it lies the largest, and as far again its band.
    """
    if best is None or not _here(best, candidate, ground):
        return None
    peaks = [
        run.ceiling
        for run in covering
        if run.ceiling is not None
        and run.ceiling.high is not None
        and _executed(run.run) == _executed(best.run)
        and _here(run, candidate, ground)
    ]
    highs = [peak.high for peak in peaks if peak.high is not None]
    if len(peaks) < 2 or max(highs) == min(highs):
        return None
    most, least = peaks[0], peaks[0]
    for peak in peaks[1:]:
        most, least = larger(most, peak), smaller(least, peak)
    apart = (most - least) * 2
    return apart.named(
        "spread",
        tell("twice how far {peaks} runs of one load on one machine lie apart", peaks=len(peaks)),
    )


def _executed(run: Run) -> Mapping[str, tuple[Number, Number | None]]:
    return {name: (size.low, size.high) for name, size in run.executed.items()}


def _here(run: Success, candidate: Candidate, ground: Inquiry) -> bool:
    """It ran on the candidate's own machine, as its file prints or somebody says."""
    piece = next(piece for piece in ground.pieces if piece.id == run.piece)
    return machine_of(piece, candidate, ground) is not None
