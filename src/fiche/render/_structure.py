"""What WeasyPrint 70 leaves to mend in a PDF before it is written.

It lists each attached file twice, finds relationships by content (two equal files share one), gives
table headings no scope and figures a frame in the units of CSS, and tags every run of text apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import pydyf

from fiche.render._compact import compact
from fiche.render._tree import Tree
from fiche.render.attachment import Attachment

# Of pydyf, which has no types: the document, and the dictionaries in it.
Pdf: TypeAlias = Any

_POINTS = 0.75  # of a CSS pixel


def mend(pdf: Pdf, attachments: Sequence[Attachment]) -> None:
    """Change the objects of a `pydyf.PDF` in place."""
    _files(pdf, {a.name: a for a in attachments})
    tree = Tree(pdf)
    tree.simplify()
    for element in tree.kept.values():
        if element["S"] in ("/TH", "/TD"):
            _cell(tree, element)
        elif element["S"] == "/Figure":
            _frame(tree, element)
    compact(pdf, tree.dropped)


def _files(pdf: Pdf, attached: dict[str, Attachment]) -> None:
    if "AF" in pdf.catalog:
        pdf.catalog["AF"] = pydyf.Array(list(dict.fromkeys(pdf.catalog["AF"])))
    for thing in pdf.objects:
        if isinstance(thing, dict) and thing.get("Type") == "/Filespec":
            file = attached[str(thing["UF"].string)]
            thing["AFRelationship"] = f"/{file.relationship}"


def _cell(tree: Tree, cell: Pdf) -> None:
    """Headings are found by their scope alone: lists of ids would need an index that is not there."""
    cell.pop("ID", None)
    cell["A"].pop("Headers", None)
    if cell["S"] == "/TH":
        head = tree.at(tree.at(cell["P"])["P"])["S"] == "/THead"
        cell["A"]["Scope"] = "/Column" if head else "/Row"
    elif len(cell["A"]) == 1:
        del cell["A"]


def _frame(tree: Tree, figure: Pdf) -> None:
    """A figure's frame from pixels below the page's top to points above its foot."""
    height = tree.at(figure["Pg"])["MediaBox"][3]
    left, top, right, bottom = (side * _POINTS for side in figure["A"]["BBox"])
    figure["A"]["BBox"] = pydyf.Array([left, height - bottom, right, height - top])
