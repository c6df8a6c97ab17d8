"""A long annex on paper is said beforehand, with how to have less; a short one is not."""

from types import SimpleNamespace

import pytest

from fiche.cli.reports import MANY, Asked, foretell


def of(count):
    return SimpleNamespace(decision=SimpleNamespace(outcomes=(None,) * count))


@pytest.mark.parametrize(
    ("count", "formats", "annex", "said"),
    [
        (MANY + 1, ("pdf",), True, True),
        (MANY, ("pdf",), True, False),
        (MANY + 1, ("pdf",), False, False),
        (MANY + 1, ("html", "json"), True, False),
    ],
)
def test_who_waits_long_is_told_before(count, formats, annex, said, capsys):
    foretell(of(count), Asked(formats=formats, annex=annex))
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == said
    assert (f"{count} candidates" in told.err and "without it" in told.err) is said
