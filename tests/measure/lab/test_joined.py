"""One script out of modules: nothing is written twice, and what cannot be joined is told (F9)."""

import ast

import pytest

from fiche.measure.lab.archive import NOTEBOOK_ROOTS, SCRIPT_ROOTS, lab_parts
from fiche.measure.lab.joined import UnjoinableError, joined, script

FUTURE = "from __future__ import annotations\n"
ONE = f'''"""One: the first.

More of it.
"""

{FUTURE}
import os
from typing import Any, Iterator

HERE = os.sep


def one(path: Any) -> Iterator[str]:
    """A docstring of its own."""
    yield HERE
'''
TWO = f'''"""Two: the second."""

{FUTURE}
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fiche.one import HERE, one  # what it is built on

if TYPE_CHECKING:
    from fiche.one import Other


def two() -> Iterator[str]:
    from fiche.later import late

    yield from one(HERE)
    late()
'''
LATER = f'''"""Later: imported by a function."""

{FUTURE}
from fiche.two import two


def late() -> None:
    """Which imports the one that needs it."""
'''
SOURCES = {"fiche.one": ONE, "fiche.two": TWO, "fiche.later": LATER}


def text(sources=SOURCES, roots=("fiche.two",)):
    return script(joined(sources, roots), '"""Head."""', "END = 1")


def module(body):
    return f'"""A title."""\n\n{FUTURE}\n{body}'


def test_a_module_stands_after_those_that_it_needs():
    names = [part.name for part in joined(SOURCES, ["fiche.two"]).parts]
    assert names == ["fiche.one", "fiche.two", "fiche.later"]


def test_the_script_is_what_the_modules_are():
    names = {}
    exec(compile(text(), "script", "exec"), names)
    assert list(names["two"]()) == [names["HERE"]]
    assert names["END"] == 1


def test_imports_stand_once_and_none_is_of_the_package():
    made = text()
    assert made.count("from __future__") == 1
    assert made.count("import os") == 1
    assert "fiche" not in "".join(line for line in made.splitlines() if "import" in line)
    assert "from collections.abc import Iterator\n" in made, "typing's is the same thing"
    assert "from typing import Any, TYPE_CHECKING\n" in made


def test_a_block_of_own_imports_alone_keeps_its_shape():
    assert "if TYPE_CHECKING:\n    pass\n" in text()
    assert "def two() -> Iterator[str]:\n    yield from" in text(), "nor the line that set it apart"


def test_each_part_stands_under_its_title():
    """F9: a person reads it on a machine that has nothing else."""
    made = text()
    assert "# --- one " in made
    assert "# One: the first.\n#\n# More of it.\n" in made
    assert '"""One: the first.' not in made
    assert '"""A docstring of its own."""' in made


@pytest.mark.parametrize(
    ("sources", "why"),
    [
        (
            {"fiche.two": module("from fiche.one import one\n\nHERE = 2\n")},
            "HERE .fiche.one, fiche.two",
        ),
        ({"fiche.two": module("import one\n")}, "not of the standard library"),
        ({"fiche.two": module("def two():\n    import numpy\n")}, "a bare machine has not"),
        ({"fiche.two": module("from fiche.none import none\n")}, "no module of the script"),
        ({"fiche.two": module("import fiche.one\n")}, "a module whole"),
        ({"fiche.two": module("from .one import one\n")}, "a module whole"),
        ({"fiche.two": module("from fiche.one import one as first\n")}, "renames"),
        ({"fiche.two": module("from os import *\n")}, "takes all"),
        ({"fiche.two": module("open = 1\n")}, "hides open"),
        ({"fiche.two": "TWO = 2\n"}, "no docstring"),
        (
            {
                "fiche.one": module("from fiche.two import two\n"),
                "fiche.two": module("from fiche.one import one\n"),
            },
            "import each other",
        ),
        (
            {"fiche.two": module("from fiche.one import one\nfrom json import sep as os\n")},
            "renames",
        ),
        (
            {"fiche.two": module("from fiche.one import one\nfrom posix import os\n")},
            "os .os, posix.os",
        ),
        (
            {
                "fiche.two": module(
                    "from fiche.one import one\n\nif one:\n    from json import Any\n"
                )
            },
            "Any .json.Any, typing.Any",
        ),
    ],
)
def test_what_cannot_be_joined_is_told(sources, why):
    """A name that means two things would be the last of them, in silence."""
    with pytest.raises(UnjoinableError, match=why):
        joined({**SOURCES, **sources}, ["fiche.two"])


# --- The protocol itself ----------------------------------------------------------------------


@pytest.mark.parametrize("roots", [SCRIPT_ROOTS, NOTEBOOK_ROOTS])
def test_the_modules_of_the_protocol_can_be_joined(roots):
    names = [part.name for part in lab_parts(roots).parts]
    assert len(set(names)) == len(names)
    assert set(roots) <= set(names)


@pytest.mark.parametrize("part", lab_parts(NOTEBOOK_ROOTS).parts, ids=lambda part: part.name)
def test_a_part_holds_every_statement_of_its_module(part):
    """One source: nothing of a module but its imports and its docstring stays behind."""
    from fiche.assets import package_data

    path = package_data(part.name.removeprefix("fiche.").replace(".", "/") + ".py")
    imports = (ast.Import, ast.ImportFrom)
    whole = ast.parse(path.read_text(encoding="utf-8")).body[1:]
    wanted = [_shown(node) for node in whole if not isinstance(node, imports)]
    assert [_shown(node) for node in ast.parse(part.text).body] == wanted


class _Emptied(ast.NodeTransformer):
    def visit_ImportFrom(self, node):
        return None if (node.module or "").startswith("fiche") else node

    def visit_Pass(self, node):
        return None


def _shown(node):
    return ast.dump(_Emptied().visit(node))
