"""Tables that go over pages: one table for a reader of the structure, as on a page that never ends.

WeasyPrint tags each page's part as a table of its own, its head repeated. The rows go back to the table
where it began, and the repeated heads are left to the eye.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fiche.render._tree import Element, Tree

# Holds blocks, no text of its own.
GROUPS = {"/Document", "/Part", "/Art", "/Sect", "/Div"}


def join_tables(tree: Tree) -> None:
    """Change a simplified tree in place."""
    before: Element | None = None
    for top in tree.children(tree.document):
        part = _end(tree, top, 0)
        begun = _end(tree, before, -1) if before is not None and before["Pg"] != top["Pg"] else None
        if begun is not None and begun["S"] == "/Table" and _goes_on(tree, part):
            _move(tree, part, begun)
        if top.number in tree.kept:
            before = top


def _end(tree: Tree, element: Element, place: int) -> Element:
    """The first (0) or last (-1) block inside, below all groups."""
    while element["S"] in GROUPS and (inner := tree.children(element)):
        element = inner[place]
    return element


def _goes_on(tree: Tree, part: Element) -> bool:
    """A table that begins has a caption; one that goes on has its head again at once."""
    if part["S"] != "/Table":
        return False
    return [child["S"] for child in tree.children(part)][:1] == ["/THead"]


def _move(tree: Tree, part: Element, begun: Element) -> None:
    head, *rows = tree.children(part)
    for row in rows:
        row["P"] = begun.reference
        begun["K"].append(row.reference)
    tree.forget(head)
    part["K"].clear()
    emptied = part
    while not emptied["K"] and emptied is not tree.document:
        parent = tree.at(emptied["P"])
        parent["K"].remove(emptied.reference)
        del tree.kept[emptied.number]
        emptied = parent
