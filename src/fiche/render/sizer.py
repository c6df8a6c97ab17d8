"""The island of data that the sizer's script reads: JSON that can neither end its element nor open another."""

from __future__ import annotations

from markupsafe import Markup

from fiche.render.scripts import inert
from fiche.render.visible import visible
from fiche.report.parts import Report
from fiche.report.sizer_parts import Sizer

SCRIPTS = ("sizer_numbers.js", "sizer.js")
STYLE = "report_sizer.css"


def sizes(report: Report) -> bool:
    """True where the report has something to size: only then does the page bear its script."""
    return any(isinstance(block, Sizer) for each in report.sections for block in each.blocks)


def island(sizer: Sizer) -> Markup:
    """What the script evaluates and says; what could act on the reader is written out."""
    words = {key: _shown(told) for key, told in sizer.content.items() if key != "nodes"}
    return inert({**words, "nodes": sizer.content["nodes"]})


def _shown(value: object) -> object:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {key: _shown(each) for key, each in value.items()}
    return [_shown(each) for each in value] if isinstance(value, list | tuple) else value
