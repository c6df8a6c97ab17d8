"""Every message of fiche's reports in the source: phrases by reflection, told texts by parsing."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "fiche"
sys.path.insert(0, str(ROOT / "src"))

_CALLS = {"tell": 1, "tell_count": 2}
# Two messages that are filled alike.
_PAIR = "tell_asking"


@dataclass(frozen=True)
class Entry:
    """One message: its context, its English (two forms where it counts), and the files that say it."""

    context: str | None
    one: str
    many: str = ""
    files: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str | None, str]:
        """What tells it from all others."""
        return self.context, self.one


def entries() -> list[Entry]:
    """All of them, those with a context first, each once, in an order that changes little."""
    return [*_phrases(), *_told()]


def _phrases() -> list[Entry]:
    """Every text of the English record, by the names that `languages` looks them up by."""
    from fiche.languages._walk import retold
    from fiche.report.words.en import MEMBER

    found: list[Entry] = []

    def noted(name: str, text: str) -> str:
        one, _, many = text.partition("|")
        found.append(Entry(name, one, many))
        return text

    retold(MEMBER, noted)
    return found


def _told() -> Iterator[Entry]:
    found: dict[str, tuple[str, list[str]]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        where = path.relative_to(SOURCE).as_posix()
        if where == "kernel/said.py":
            continue
        for one, many in _in_file(path):
            told, files = found.setdefault(one, (many, []))
            if many and not told:
                found[one] = (many, files)
            if where not in files:
                files.append(where)
    for one, (many, files) in sorted(found.items()):
        yield Entry(None, one, many, tuple(files))


def _in_file(path: Path) -> Iterator[tuple[str, str]]:
    text = path.read_text(encoding="utf-8")
    if "kernel.said" not in text:
        return
    tree = ast.parse(text)
    named = _constants(tree)
    taken = _taken(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        name = taken.get(node.func.id)
        if name in _CALLS:
            yield from _forms(node, _CALLS[name], named, path)
        elif name == _PAIR:
            yield from ((text, "") for arg in node.args[:2] for text in _texts(arg, named, path))
        elif name == "listed":
            between = [*node.args[1:2], *(k.value for k in node.keywords if k.arg == "between")]
            yield from ((t, "") for each in between for t in _texts(each, named, path))
            if not between:
                yield ", ", ""


def _taken(tree: ast.Module) -> dict[str, str]:
    """The names under which a file has the functions of `kernel.said`."""
    return {
        each.asname or each.name: each.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "fiche.kernel.said"
        for each in node.names
    }


def _forms(
    node: ast.Call, count: int, named: Mapping[str, ast.expr], path: Path
) -> Iterator[tuple[str, str]]:
    texts = [_texts(arg, named, path) for arg in node.args[:count]]
    if count == 1:
        yield from ((text, "") for text in texts[0])
    elif all(len(each) == 1 for each in texts):
        yield texts[0][0], texts[1][0]
    else:
        raise SystemExit(f"{path.name}:{node.lineno}: a count needs two plain forms")


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    found: dict[str, ast.expr] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            found[node.target.id] = node.value
    return found


def _texts(node: ast.expr, named: Mapping[str, ast.expr], path: Path) -> list[str]:
    """The texts that an expression may be: a literal, one of two, a name or an entry of a table."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value] if node.value else []
    if isinstance(node, ast.IfExp):
        return [*_texts(node.body, named, path), *_texts(node.orelse, named, path)]
    if isinstance(node, ast.Name) and node.id in named:
        return _texts(named[node.id], named, path)
    if isinstance(node, ast.Subscript):
        return _texts(node.value, named, path)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        rest = [each for arg in node.args[1:] for each in _texts(arg, named, path)]
        return [*_texts(node.func.value, named, path), *rest]
    if isinstance(node, ast.Dict):
        return [each for value in node.values for each in _texts(value, named, path)]
    if isinstance(node, ast.Tuple | ast.List):
        return [each for value in node.elts for each in _texts(value, named, path)]
    raise SystemExit(
        f"{path}:{node.lineno}: a told text must be a literal, or a table of this file"
    )
