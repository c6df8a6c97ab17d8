"""A condition and what its seller is asked are paired by the condition's words: none may drift apart."""

import ast
import string
from pathlib import Path

import fiche
from fiche.evaluate._to_sellers import _ASKED

CRITERIA = Path(fiche.__file__).parent / "criteria"


def told():
    """Every template that a criterion tells."""
    for path in CRITERIA.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "tell":
                first = node.args[0]
                if isinstance(first, ast.Constant):
                    yield first.value


def places(template):
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_what_is_asked_of_sellers_is_what_criteria_say():
    assert set(_ASKED) - set(told()) == set()


def test_both_of_a_pair_are_filled_with_the_same():
    assert [said for said, asked in _ASKED.items() if places(said) != places(str(asked))] == []
