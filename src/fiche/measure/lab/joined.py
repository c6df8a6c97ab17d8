"""Modules joined into one script: the protocol is written once, and travels as one file (F9).

A module that can be joined binds names of its own alone: what would mean one thing in its module and
another in the script is refused here, and never mended.
"""

from __future__ import annotations

import ast
import builtins
import collections.abc
import symtable
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

_OWN = "fiche"
# What a machine may have beside the standard library; imported inside functions only, when it is needed.
_ON_DEMAND = frozenset({"torch", "pynvml", "amdsmi"})
FUTURE = "from __future__ import annotations"
_LINE = 100


class UnjoinableError(Exception):
    """Why modules cannot become one script: a defect of theirs, never of a user."""


@dataclass(frozen=True)
class Part:
    """One module without its imports: `name` is dotted, `title` the first line of its docstring."""

    name: str
    title: str
    about: str
    text: str


@dataclass(frozen=True)
class Joined:
    """Imports of the standard library, then parts in an order in which each finds what it needs."""

    imports: str
    parts: tuple[Part, ...]


def joined(sources: Mapping[str, str], roots: Sequence[str]) -> Joined:
    """Join the modules that `roots` need, each after those that it imports when it is loaded.

    `sources` is the text of modules by their dotted names.

    Raises:
        UnjoinableError: a name is bound twice, a module imports what the script has not, or in a way
            that cannot be taken out.
    """
    modules = _reached(sources, roots)
    ordered = _ordered(modules, roots)
    imports = _imports(ordered)
    _refuse_collisions(ordered, imports)
    return Joined(imports="\n".join(imports.lines()), parts=tuple(each.part for each in ordered))


# --- One module -------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Module:
    part: Part
    plain: frozenset[str]  # `import os` as `os`
    taken: frozenset[tuple[str, str]]  # `from json import dumps` as (json, dumps)
    at_once: tuple[str, ...]  # own modules imported when it is loaded
    later: tuple[str, ...]  # own modules imported inside functions
    guarded: frozenset[tuple[str, str]]  # imported under a condition, such as TYPE_CHECKING
    binds: frozenset[str]


def _module(name: str, source: str) -> _Module:
    tree = ast.parse(source)
    docstring = ast.get_docstring(tree) or ""
    title, _, about = docstring.partition("\n")
    if not title:
        raise UnjoinableError(f"{name} has no docstring, which titles its part of the script")
    plain, taken, at_once = _at_the_top(name, tree)
    later = tuple(_inside(name, tree))
    text = _without(source, tree)
    return _Module(
        part=Part(name=name, title=title, about=about.strip("\n"), text=text),
        plain=plain,
        taken=taken,
        at_once=at_once,
        later=later,
        guarded=frozenset(_guarded(tree)),
        binds=_bound(name, text),
    )


def _at_the_top(
    name: str, tree: ast.Module
) -> tuple[frozenset[str], frozenset[tuple[str, str]], tuple[str, ...]]:
    plain, taken, at_once = set(), set(), []
    for node in tree.body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        _refuse_renamed(name, node)
        if _is_own(node):
            at_once.append(_own_module(name, node))
        elif isinstance(node, ast.Import):
            plain |= {alias.name for alias in node.names}
        elif node.module != "__future__":
            taken |= {(_home(node.module or "", alias.name), alias.name) for alias in node.names}
    for module in (*plain, *(module for module, _ in taken)):
        if module.split(".")[0] not in sys.stdlib_module_names:
            raise UnjoinableError(f"{name} imports {module}, which is not of the standard library")
    return frozenset(plain), frozenset(taken), tuple(at_once)


def _home(module: str, name: str) -> str:
    """`typing.Iterator` is an older name of `collections.abc.Iterator`: in one script it is one thing."""
    return "collections.abc" if module == "typing" and name in collections.abc.__all__ else module


def _inside(name: str, tree: ast.Module) -> Iterator[str]:
    for node in _nested_imports(tree):
        if _is_own(node):
            _refuse_renamed(name, node)
            yield _own_module(name, node)
            continue
        modules = (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
        )
        for module in modules:
            if module.split(".")[0] not in sys.stdlib_module_names | _ON_DEMAND:
                raise UnjoinableError(f"{name} imports {module}, which a bare machine has not")


def _nested_imports(tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    top = set(map(id, tree.body))
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom) and id(node) not in top
    ]


def _guarded(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(name, what it stands for) of what a module imports under a condition while it is loaded."""
    blocks = [node for node in tree.body if isinstance(node, ast.If | ast.Try)]
    for node in (inner for block in blocks for inner in ast.walk(block)):
        if isinstance(node, ast.ImportFrom) and not _is_own(node):
            yield from ((alias.name, f"{node.module}.{alias.name}") for alias in node.names)


def _is_own(node: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.level > 0 or (node.module or "").split(".")[0] == _OWN
    return any(alias.name.split(".")[0] == _OWN for alias in node.names)


def _own_module(name: str, node: ast.Import | ast.ImportFrom) -> str:
    if isinstance(node, ast.Import) or node.level:
        raise UnjoinableError(
            f"{name}:{node.lineno} imports a module whole; write from ... import name"
        )
    return node.module or ""


def _refuse_renamed(name: str, node: ast.Import | ast.ImportFrom) -> None:
    for alias in node.names:
        if alias.asname is not None or alias.name == "*":
            raise UnjoinableError(f"{name}:{node.lineno} renames what it imports, or takes all")


def _without(source: str, tree: ast.Module) -> str:
    """The text without docstring and own imports; what is imported on demand stays where it is."""
    top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    gone = [tree.body[0], *top, *(node for node in _nested_imports(tree) if _is_own(node))]
    dropped = {
        line for node in gone for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    emptied = {node.lineno: " " * node.col_offset + "pass" for node in _emptied(tree)}
    kept: list[str] = []
    for number, text in enumerate(source.splitlines(), start=1):
        # The blank line that set an import apart from a block's first statement goes with it.
        apart = not text and number - 1 in dropped and bool(kept) and kept[-1].endswith(":")
        if number in emptied or not (number in dropped or apart):
            kept.append(emptied.get(number, text))
    return "\n".join(kept).strip("\n") + "\n"


def _emptied(tree: ast.Module) -> Iterator[ast.stmt]:
    """The first of the own imports that are all there is of a block."""
    for body in _bodies(tree):
        if all(isinstance(node, ast.Import | ast.ImportFrom) and _is_own(node) for node in body):
            yield body[0]


def _bodies(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """Every block below the module's own."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and body and node is not tree:
                yield body


def _bound(name: str, text: str) -> frozenset[str]:
    """Names that the module binds when it is loaded."""
    table = symtable.symtable(text, name, "exec")
    names = {
        each.get_name() for each in table.get_symbols() if each.is_assigned() or each.is_namespace()
    }
    hidden = sorted(names & set(dir(builtins)))
    if hidden:
        raise UnjoinableError(f"{name} hides {', '.join(hidden)} from the rest of the script")
    return frozenset(names)


# --- All of them ------------------------------------------------------------------------------


def _reached(sources: Mapping[str, str], roots: Sequence[str]) -> dict[str, _Module]:
    """The modules that the roots need, when they are loaded or later."""
    found: dict[str, _Module] = {}
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        if name not in sources:
            raise UnjoinableError(f"{name} is imported, and is no module of the script")
        found[name] = _module(name, sources[name])
        waiting += [*found[name].at_once, *found[name].later]
    return found


def _ordered(modules: Mapping[str, _Module], roots: Sequence[str]) -> list[_Module]:
    """Each after what it imports when it is loaded; roots, and modules that functions import, in turn."""
    placed: dict[str, _Module] = {}

    def place(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise UnjoinableError(f"modules import each other: {' > '.join((*above, name))}")
        if name in placed:
            return
        for needed in modules[name].at_once:
            place(needed, (*above, name))
        placed[name] = modules[name]
        for needed in modules[name].later:
            if needed not in above:
                place(needed, above)

    for root in roots:
        place(root, ())
    return list(placed.values())


@dataclass(frozen=True)
class _Imports:
    plain: tuple[str, ...]
    taken: Mapping[str, tuple[str, ...]]

    def binds(self) -> Iterator[tuple[str, str]]:
        """(name, what it stands for)."""
        yield from ((module.split(".")[0], module.split(".")[0]) for module in self.plain)
        for module, names in self.taken.items():
            yield from ((name, f"{module}.{name}") for name in names)

    def lines(self) -> Iterator[str]:
        yield from (f"import {module}" for module in self.plain)
        for module, names in self.taken.items():
            line = f"from {module} import {', '.join(names)}"
            if len(line) > _LINE:
                line = f"from {module} import (\n" + "".join(f"    {n},\n" for n in names) + ")"
            yield line


def _imports(modules: Iterable[_Module]) -> _Imports:
    plain: set[str] = set()
    taken: dict[str, set[str]] = {}
    for module in modules:
        plain |= module.plain
        for source, name in module.taken:
            taken.setdefault(source, set()).add(name)
    return _Imports(
        plain=tuple(sorted(plain)),
        taken={source: tuple(sorted(names)) for source, names in sorted(taken.items())},
    )


def _refuse_collisions(modules: Sequence[_Module], imports: _Imports) -> None:
    """In one script a name is one thing: two private functions of one name would be the last of them."""
    owners: dict[str, list[str]] = {}
    guarded = {pair for module in modules for pair in module.guarded}
    for name, meant in sorted({*imports.binds(), *guarded}):
        owners.setdefault(name, []).append(meant)
    for module in modules:
        for name in sorted(module.binds):
            owners.setdefault(name, []).append(module.part.name)
    twice = [f"{name} ({', '.join(where)})" for name, where in owners.items() if len(where) > 1]
    if twice:
        raise UnjoinableError(
            "names of the protocol stand once, since it also travels as one script: "
            + "; ".join(twice)
        )


# --- The script -------------------------------------------------------------------------------


def script(found: Joined, head: str, tail: str) -> str:
    """The whole text: `head` (a docstring and remarks), imports, parts under their titles, `tail`."""
    blocks = [f"{head.strip()}\n\n{FUTURE}\n\n{found.imports}\n"]
    blocks += [part_text(part) for part in found.parts]
    return "\n\n".join((*blocks, tail.strip() + "\n"))


def part_text(part: Part) -> str:
    """A rule with the module's name, its docstring as remarks, and what it defines."""
    opens = part.text.startswith(("def ", "class ", "@"))
    return _head(part) + ("\n\n\n" if opens else "\n\n") + part.text


def _head(part: Part) -> str:
    name = part.name.rsplit(".", 1)[-1]
    rule = f"# --- {name} ".ljust(98, "-")
    words = "\n".join((part.title, *([""] if part.about else []), *part.about.splitlines()))
    return "\n".join((rule, "#", *(f"# {line}".rstrip() for line in words.splitlines())))
