"""The scripts of a page: whole in it, named by digest in its policy, and told only words and signs.

The page is read and saved without them. They take the decision from its own link, so that it stands in the page
once. What sizes a load joins where the report has one to size (`render/sizer.py`).
"""

from __future__ import annotations

import json
import re

from markupsafe import Markup

from fiche.assets import template_text
from fiche.render.visible import ACTIVE_RANGES
from fiche.report.parts import Report

SCRIPTS = ("page.js", "page_lines.js", "page_figures.js", "page_candidates.js")
_SPARE = re.compile(r"^\s*//.*\n|^\s+|^\n", re.MULTILINE)
_QUOTED = re.compile(r'("[^"]*")')
_BLANKS = re.compile(r"\s+")
# Blanks that say nothing; no text of a script has them (its test says which one would).
_SIGNS = ("=>", "=", "===", "!==", "?", ":", "&&", "||", "<", ">", "<=", ">=", "*")
_TIGHT = (
    *((f" {sign} ", sign) for sign in _SIGNS),
    *((sign, sign.strip()) for sign in ("{ ", " }", ";\n", "{\n", ",\n", "\n}", "\n)")),
    (") {", "){"),
    # A list that is joined by this keeps it, as do some that need not.
    ('", "', '",\0"'),
    (", ", ","),
    ("\0", " "),
)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def scripts(*more: str) -> tuple[Markup, ...]:
    """The text of each script, without what says nothing; `more` are those of one part of a report."""
    return tuple(_brief(template_text(name)) for name in (*SCRIPTS, *more))


def _brief(text: str) -> Markup:
    """A script without its comments, its indents and blanks beside signs."""
    told = _SPARE.sub("", text)
    for long, short in _TIGHT:
        told = told.replace(long, short)
    return Markup(told)


def styled(text: str) -> Markup:
    """A style sheet without its comments, and without blanks that say nothing."""
    return Markup("".join([_tight(each) for each in _QUOTED.split(_COMMENT.sub("", text))]))


def _tight(text: str) -> str:
    """A piece of a style sheet: what is in quotes stays as it is."""
    if text.startswith('"'):
        return text
    plain = _BLANKS.sub(" ", text)
    for sign in ("{", "}", ";", ",", ">"):
        plain = plain.replace(f"{sign} ", sign).replace(f" {sign}", sign)
    return plain.replace(": ", ":")


def words(report: Report) -> Markup:
    """What the scripts say, in the language of the report, as JSON that is inert in a page."""
    chrome, style = report.chrome, report.style
    return inert(
        {
            "page": dict(chrome.page),
            "codes": dict(chrome.codes),
            "signs": {"group": style.group, "decimal": style.decimal},
            "active": f"[{''.join(_escaped(low, high) for low, high in ACTIVE_RANGES)}]",
        }
    )


def inert(document: object) -> Markup:
    """JSON that cannot end its element or open another: the escapes are JSON's own."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    for sign, escape in (("&", "\\u0026"), ("<", "\\u003c"), (">", "\\u003e")):
        text = text.replace(sign, escape)
    return Markup(text)


def _escaped(low: int, high: int) -> str:
    return f"\\u{{{low:x}}}-\\u{{{high:x}}}"
