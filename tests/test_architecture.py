"""The shape of the source: what DESIGN calls laws and budgets, as far as text can show them.

Run this file as a program to renew `cli_options.json` after a wanted change of options.
"""

import ast
import io
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

from fiche.registry import member_names

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "fiche"
TESTS = ROOT / "tests"
OPTIONS = TESTS / "cli_options.json"

PURE_ROOMS = ("kernel", "families", "estimators", "vendors", "criteria", "evaluate", "report")
DOORS = (
    "importers",
    "market",
    "families",
    "estimators",
    "estimators/engines",
    "estimators/quantisation",
    "vendors",
    "criteria",
    "measure/workloads",
    "simulate/effects",
)
BANNED_NAMES = {"size", "data", "info", "manager", "util", "utils", "helper", "helpers"}
BANNED_CALLS = {"open", "print", "input", "float", "eval", "exec"}

MODULE_LINES = 250
FUNCTION_LINES = 50
MEDIAN_FUNCTION_LINES = 10

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def modules(*rooms):
    """Yield every module of the rooms, or of the package, with its tree."""
    folders = [SOURCE / room for room in rooms] or [SOURCE]
    for path in sorted(path for folder in folders for path in folder.rglob("*.py")):
        yield path.relative_to(SOURCE), ast.parse(path.read_text(encoding="utf-8"))


def nodes(*rooms):
    for path, tree in modules(*rooms):
        for node in ast.walk(tree):
            yield path, node


# --- Imports ----------------------------------------------------------------------------------


def lint_imports(source):
    """Run the contracts of pyproject on the package that lies in `source`."""
    program = Path(sys.executable).with_name("lint-imports")
    return subprocess.run(
        [program, "--config", ROOT / "pyproject.toml", "--no-cache"],
        cwd=source,
        env={**os.environ, "PYTHONPATH": str(source), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy(tmp_path):
    """A copy of the source, to plant defects in."""
    shutil.copytree(SOURCE, tmp_path / "fiche", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def plant(copy, module, text):
    path = copy / "fiche" / module
    path.parent.mkdir(exist_ok=True)
    (path.parent / "__init__.py").touch()
    with path.open("a", encoding="utf-8") as file:
        file.write(f"\n{text}\n")


def test_imports_point_one_way():
    result = lint_imports(SOURCE.parent)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("module", "text", "contract"),
    [
        ("kernel/planted.py", "import os", "pure rooms touch no world"),
        ("report/planted.py", "import fiche.assets", "pure rooms touch no world"),
        ("render/planted.py", "import fiche.evaluate", "readers and writers never judge"),
        ("load/planted.py", "import torch", "only measure and simulate know torch"),
        ("kernel/planted.py", "import fiche.report", "imports point one way"),
        ("planted.py", "", "imports point one way"),
    ],
)
def test_a_planted_import_is_caught(copy, module, text, contract):
    plant(copy, module, text)
    result = lint_imports(copy)
    assert result.returncode == 1
    assert f"{contract} BROKEN" in result.stdout, result.stdout + result.stderr


@pytest.mark.parametrize("room", ["measure", "simulate"])
def test_two_rooms_may_know_torch(copy, room):
    plant(copy, f"{room}/planted.py", "import torch")
    plant(copy, "cli/planted.py", f"import fiche.{room}.planted")
    result = lint_imports(copy)
    assert result.returncode == 0, result.stdout + result.stderr


# --- Pure rooms -------------------------------------------------------------------------------


def annotation(node):
    if isinstance(node, FUNCTIONS):
        return node.returns
    return getattr(node, "annotation", None)


def mentions_float(node):
    return node is not None and any(
        (isinstance(part, ast.Name) and part.id == "float")
        or (isinstance(part, ast.Constant) and part.value == "float")
        for part in ast.walk(node)
    )


def test_no_float_in_a_pure_room():
    found = [
        f"{path}:{node.lineno}"
        for path, node in nodes(*PURE_ROOMS)
        if (isinstance(node, ast.Constant) and isinstance(node.value, float | complex))
        or mentions_float(annotation(node))
    ]
    assert found == []


def test_a_pure_room_calls_nothing_that_touches_the_world_or_makes_a_float():
    found = [
        f"{path}:{node.lineno} {node.func.id}"
        for path, node in nodes(*PURE_ROOMS)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in BANNED_CALLS
    ]
    assert found == []


# --- Budgets ----------------------------------------------------------------------------------


def docstring_lines(tree):
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS)) and ast.get_docstring(node):
            text = node.body[0]
            yield from range(text.lineno, text.end_lineno + 1)


def token_lines(path, tree):
    """Return how many lines bear a token: not blank, comment or docstring."""
    silent = {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    }
    source = io.StringIO((SOURCE / path).read_text(encoding="utf-8"))
    bearing = {
        line
        for token in tokenize.generate_tokens(source.readline)
        if token.type not in silent
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(bearing - set(docstring_lines(tree)))


def function_lengths():
    """Return (lines, place) of every function, its docstring included, its decorators not."""
    return [
        (node.end_lineno - node.lineno + 1, f"{path}:{node.lineno} {node.name}")
        for path, node in nodes()
        if isinstance(node, FUNCTIONS)
    ]


def test_no_module_is_over_its_budget():
    counts = {str(path): token_lines(path, tree) for path, tree in modules()}
    assert {path: count for path, count in counts.items() if count > MODULE_LINES} == {}


def test_no_function_is_over_its_budget():
    assert [place for lines, place in function_lengths() if lines > FUNCTION_LINES] == []


def test_most_functions_are_short():
    assert statistics.median(lines for lines, _ in function_lengths()) <= MEDIAN_FUNCTION_LINES


# --- Names and doors --------------------------------------------------------------------------


def last_word(name):
    """Return the last word of a CamelCase or snake_case name, in lower case."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().rsplit("_", 1)[-1]


def banned(node):
    if isinstance(node, ast.ClassDef):
        return last_word(node.name) in BANNED_NAMES
    return isinstance(node, FUNCTIONS) and node.name.strip("_") in BANNED_NAMES


def test_no_name_that_says_nothing():
    found = [str(path) for path, _ in modules() if path.stem.strip("_") in BANNED_NAMES]
    found += [f"{path}:{node.lineno} {node.name}" for path, node in nodes() if banned(node)]
    assert found == []


def test_each_member_of_a_door_has_its_test():
    missing = [
        f"tests/{room}/test_{module}.py"
        for room in DOORS
        if (SOURCE / room).is_dir()
        for module in member_names(f"fiche.{room}".replace("/", "."))
        if not (TESTS / room / f"test_{module}.py").is_file()
    ]
    assert missing == []


# --- Commands ---------------------------------------------------------------------------------


def commands(command, name="fiche"):
    """Yield (full name, command) of a command and all below it."""
    yield name, command
    for below, child in sorted(getattr(command, "commands", {}).items()):
        yield from commands(child, f"{name} {below}")


def command_tree():
    import typer.main

    from fiche.cli.main import app

    return dict(commands(typer.main.get_command(app)))


def options(command):
    return sorted(
        text
        for parameter in command.params
        if parameter.param_type_name == "option"
        for text in (*parameter.opts, *parameter.secondary_opts)
    )


def test_each_command_is_in_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    leaves = [name for name, command in command_tree().items() if not hasattr(command, "commands")]
    assert [name for name in leaves if not re.search(rf"{name}(?![\w-])", readme)] == []


def test_options_are_frozen():
    """Scripts rely on options: a change is a decision, renewed by running this very file."""
    now = {name: options(command) for name, command in command_tree().items()}
    assert now == json.loads(OPTIONS.read_text(encoding="utf-8")), (
        "options have changed; where that is wanted: python tests/test_architecture.py"
    )


if __name__ == "__main__":
    frozen = {name: options(command) for name, command in command_tree().items()}
    OPTIONS.write_text(json.dumps(frozen, indent=2) + "\n", encoding="utf-8")
