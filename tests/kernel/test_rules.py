"""The rule that a decision prints is the one that judged it (DESIGN 4)."""

from fiche.evaluate.rule import ROWS
from fiche.kernel.rules import RULE


def test_the_rows_are_those_that_judge():
    assert tuple((row.reason, row.verdict.code, row.text) for row in ROWS) == RULE
