"""How far several readings of one thing lie apart: of one counter, device and phase over a piece's runs.

A number read once says nothing of the next run; the interval of several, with how many they are, does.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.figure import Figure
from fiche.kernel.piece import Observation, Piece, Run
from fiche.kernel.readings import observations, observed
from fiche.kernel.record import record


@record
class Spread:
    """Readings of one thing by id, one a run; `least` and `most` are the two that lie farthest apart."""

    counter: str
    stat: str
    readings: tuple[str, ...]
    least: Figure
    most: Figure


def spreads(piece: Piece) -> Iterator[Spread]:
    """Of each thing that several runs of a piece read, in the order of the piece."""
    groups: dict[tuple[object, ...], dict[str, Figure]] = {}
    for name, run, seen in observations(piece):
        figure = observed(seen, name)
        if run is not None and figure is not None and figure.high is not None:
            groups.setdefault(_subject(run, seen), {})[name] = figure
    for (counter, stat, *_), told in groups.items():
        if len(told) > 1:
            yield Spread(
                counter=str(counter),
                stat=str(stat),
                readings=tuple(told),
                least=min(told.values(), key=lambda f: f.low),
                most=max(told.values(), key=lambda f: f.high or 0),
            )


def _subject(run: Run, seen: Observation) -> tuple[object, ...]:
    """What must be the same for two readings to be of one thing: the load, the passage and the counter."""
    load = tuple(sorted((name, str(size.low)) for name, size in run.executed.items()))
    return (
        *(seen.counter, seen.stat, seen.scope, seen.device_index, seen.rank, seen.unit),
        *(seen.label, seen.phase, seen.window, str(seen.marks)),
        *(run.phases, run.first_pass, run.whole_loop, load),
    )
