"""What verifying cannot prove, in plain words: said each time, so that nobody takes it for more."""

from __future__ import annotations

UNPROVEN: tuple[str, ...] = (
    "that the pieces are genuine: a log, a quote or a record that was made up compiles as well as a true one",
    "that a measurement was made as its record tells, on the machine that it names",
    "who made the report and when: only a signature says who, only a time stamp says when",
    "that the formulas and rules of fiche are right: they are the same, and they were applied",
    "anything outside this file: a later quote, a withdrawn decision, another report on the same question",
)
