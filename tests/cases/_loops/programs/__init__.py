"""One published program a module: `matches(case)`, and `plan(case)`, which says what to simulate."""

from importlib import import_module
from pathlib import Path

from _loops.plans import UncoveredError


def programs():
    """The modules of this folder, by name."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("*.py"))
    return [import_module(f"{__name__}.{name}") for name in names if not name.startswith("_")]


def plan_of(case):
    """The plan of the program that a case ran.

    Raises:
        UncoveredError: no program here is it, or its conditions do not suffice; one sentence.
    """
    told = case["conditions"]
    for program in programs():
        if program.matches(case):
            return program.plan(case)
    name = told.get("framework") or told.get("engine") or "a program that is not named"
    raise UncoveredError(f"no loop here is that of {name}")
